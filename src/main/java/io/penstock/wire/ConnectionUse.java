package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.penstock.time.Ticker;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;

/**
 * Handler before the codec of a connection to an upstream. It finds out whether the upstream closed
 * the connection while it was idle, or during a call. Belongs to the event loop of the connection.
 */
public final class ConnectionUse extends ChannelInboundHandlerAdapter {
  /** Thrown when a request that cannot be repeated met a connection that was closed while idle. */
  public static final class ClosedWhileIdle extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the error that the connection itself had for {@code cause}. */
    public ClosedWhileIdle(Throwable cause) {
      super("the connection was closed while it was idle", cause);
    }
  }

  /** The least time without a call after which a connection counts as idle. */
  static final long IDLE_NANOS = 1_000_000_000L;

  /** How long after the request a connection that was closed before may look open. */
  static final long BREAK_NANOS = 1_000_000_000L;

  private static final String NAME = "penstock.use";

  private final Ticker ticker;
  private boolean used;
  private boolean idle;
  private boolean answered;
  private long readNanos;
  private long sentNanos;

  private ConnectionUse(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Adds the handler to a new connection. */
  public static void install(Channel channel, Ticker ticker) {
    if (channel.pipeline().get(NettyPipeline.HttpCodec) != null) {
      channel.pipeline().addBefore(NettyPipeline.HttpCodec, NAME, new ConnectionUse(ticker));
    }
  }

  /** Returns the handler of a connection, or null when it has none. */
  public static @Nullable ConnectionUse of(Channel channel) {
    return channel.pipeline().get(NAME) instanceof ConnectionUse use ? use : null;
  }

  /** Notes that a request begins; nothing of it is written yet. */
  public void begins() {
    long now = ticker.nanos();
    idle = used && now - readNanos >= IDLE_NANOS;
    used = true;
    answered = false;
    sentNanos = now;
  }

  /** Notes that the last byte of the request was written. */
  public void written() {
    sentNanos = ticker.nanos();
  }

  /**
   * Returns whether the call that has just failed met a connection that the upstream had closed: it
   * had been idle, and broke before any byte of an answer, soon after the request was written.
   */
  public boolean wasClosedWhileIdle() {
    return idle && !answered && ticker.nanos() - sentNanos <= BREAK_NANOS;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    answered = true;
    readNanos = ticker.nanos();
    context.fireChannelRead(message);
  }
}
