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

/** The connections clients have open, so that they can be told to go. Safe from any thread. */
public final class Connections {
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /** Knows of one, until it is closed; a stream of one that is known is none. */
  void opened(Channel channel) {
    if (channel.parent() instanceof ServerChannel) {
      open.add(channel);
    }
  }

  /**
   * Has clients take other connections for what they ask next: those that rest are closed, and
   * HTTP/2 ones get a GOAWAY, so that what is under way goes on. On one that was opened and never
   * used a request may be coming, which is better refused than lost.
   *
   * @param now whether nothing more is let in; else what is on its way is, so that none is closed
   *     whose client was not told: each answer that begins from now on says it
   */
  public void leave(boolean now) {
    for (Channel each : open) {
      each.eventLoop().execute(() -> leave(each, now));
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // whoever is gone need not be told
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
