package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that clients break the rules of HTTP/2, at most one line a minute. The codec has answered
 * such a client and closes its connection, so nothing else is to be done. Safe from any thread.
 */
public final class Http2Faults {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.http");
  private static final String NAME = "penstock.http2Faults";
  private static final int LONGEST = 200;
  private static final long QUIET_NANOS = 60_000_000_000L;

  /**
   * The last line that was logged.
   *
   * @param more the faults since then
   */
  private record LastLine(long atNanos, long more) {}

  private final Ticker ticker;

  @SharedState("lines of the log")
  private final AtomicReference<@Nullable LastLine> last = new AtomicReference<>();

  public Http2Faults(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Adds the handler of faults to a new connection. */
  void install(Channel channel) {
    channel.pipeline().addLast(NAME, new FaultHandler(this));
  }

  private void caught(Channel channel, Http2Exception fault) {
    String line = line(String.valueOf(channel.remoteAddress()), fault, ticker.nanos());
    if (line != null) {
      LOG.warn(line);
    }
  }

  /** Returns the line to log for a fault, or null for none. */
  @Nullable String line(String client, Http2Exception fault, long now) {
    LastLine before =
        last.getAndUpdate(
            known ->
                known == null || now - known.atNanos() >= QUIET_NANOS
                    ? new LastLine(now, 0)
                    : new LastLine(known.atNanos(), known.more() + 1));
    if (before != null && now - before.atNanos() < QUIET_NANOS) {
      return null;
    }
    String line =
        "client %s broke the rules of HTTP/2, so its connection is closed: %s, %s"
            .formatted(client, fault.error(), printable(String.valueOf(fault.getMessage())));
    return before == null || before.more() == 0
        ? line
        : line + " (and " + before.more() + " more since the last such line)";
  }

  /** Returns a text that keeps to one line of the log, whatever bytes of the client are in it. */
  private static String printable(String text) {
    String shown = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
    return shown.replaceAll("[^\\x20-\\x7e…]", "?");
  }

  /** Handler behind the HTTP/2 codec of one connection. Belongs to its event loop. */
  private static final class FaultHandler extends ChannelInboundHandlerAdapter {
    private final Http2Faults faults;

    FaultHandler(Http2Faults faults) {
      this.faults = faults;
    }

    /**
     * Moves behind the codec if that was added after this handler, as it is with TLS. The first
     * message of HTTP/2 that comes here is the client's settings, before any request.
     */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Http2RequestCheck.install(context.channel());
      ChannelHandler end = context.pipeline().last();
      if (end != this && context.pipeline().get(Http2FrameCodec.class) != null) {
        context.pipeline().remove(this);
        faults.install(context.channel());
      }
      context.fireChannelRead(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (cause instanceof Http2Exception fault) {
        faults.caught(context.channel(), fault);
      } else {
        context.fireExceptionCaught(cause);
      }
    }
  }
}
