package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * The connections that clients have open, so that clients can be made to leave them, and those that
 * take nothing of what is sent to them are closed. Safe from any thread.
 */
public final class ClientConnections {
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final LongAdder stalled = new LongAdder();
  private final long writeTimeoutNanos;

  /**
   * Creates it without connections.
   *
   * @param writeTimeout how long a client may take nothing of what is to be sent to it
   */
  public ClientConnections(Duration writeTimeout) {
    this.writeTimeoutNanos = writeTimeout.toNanos();
  }

  /**
   * Returns how many connections and HTTP/2 streams were closed because their client took nothing.
   */
  public long stalled() {
    return stalled.sum();
  }

  /** Closes a connection or an HTTP/2 stream once its client takes nothing for too long. */
  void watch(Channel channel) {
    ClientWriteTimeout.install(channel, writeTimeoutNanos, stalled::increment);
  }

  /** Adds a connection until it is closed; the HTTP/2 streams of a connection are not added. */
  void opened(Channel channel) {
    watch(channel);
    if (channel.parent() instanceof ServerChannel) {
      open.add(channel);
    }
  }

  /**
   * Makes clients take other connections for their next requests: idle connections are closed, and
   * HTTP/2 connections get a GOAWAY, so that running requests go on. A connection that was opened
   * and never used stays open, because a request may be on its way, which is better refused than
   * lost.
   *
   * @param now whether requests are no longer let in. If they still are, no HTTP/1 connection is
   *     closed here, because its client would not expect that: each answer that begins from now on
   *     announces it
   */
  public void leave(boolean now) {
    for (Channel each : open) {
      each.eventLoop().execute(() -> leave(each, now));
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a client that has gone need not be told
  private static void leave(Channel channel, boolean now) {
    if (channel.pipeline().get(Http2FrameCodec.class) != null) {
      Http2GoAwayFrame away = new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR);
      channel.writeAndFlush(now ? away : away.setExtraStreamIds(Integer.MAX_VALUE));
      return;
    }
    ConnectionGuard guard = channel.pipeline().get(ConnectionGuard.class);
    if (guard == null || !now) {
      return;
    }
    if (guard.rests()) {
      channel.close();
    } else {
      guard.closeAfterAnswer();
    }
  }
}
