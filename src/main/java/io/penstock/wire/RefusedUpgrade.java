package io.penstock.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import reactor.netty.NettyPipeline;

/**
 * Keeps the body of an upstream's answer that is no upgrade to a WebSocket: one that refuses it, or
 * ignores that it was asked for. The HTTP client reads only a little of that body and passes none
 * of it on, so it is recorded here. A body longer than {@value #MOST_BYTES} bytes is not kept at
 * all. Belongs to one upgrade, and is read once that has failed.
 */
public final class RefusedUpgrade {
  static final int MOST_BYTES = 64 << 10;

  // only handlers with this prefix are placed before the handler that aggregates an answer
  private static final String NAME = NettyPipeline.LEFT + "penstock.refusal";

  /** Says that an upstream did not upgrade, and that its answer cannot be passed on. */
  public static final class NotUpgraded extends IOException {
    private static final long serialVersionUID = 1;

    public NotUpgraded(Throwable cause) {
      super("the upstream did not become a WebSocket", cause);
    }
  }

  private volatile byte[] body = new byte[0];
  private volatile boolean whole;

  /** Records the answer on a new connection. */
  public void install(Channel channel) {
    if (channel.pipeline().get(NettyPipeline.HttpCodec) != null) {
      channel.pipeline().addAfter(NettyPipeline.HttpCodec, NAME, new Listener());
    }
  }

  /** Returns the body of the refusal; empty when there is none. */
  public byte[] body() {
    return body;
  }

  /** Returns whether the answer was received with its whole body, and all of it was kept. */
  public boolean whole() {
    return whole;
  }

  private final class Listener extends ChannelInboundHandlerAdapter {
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private boolean refused;
    private boolean tooLong;
    private boolean ended;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpResponse response
          && !response.decoderResult().isFailure()
          && response.status().code() >= 200) {
        refused = true;
        context.fireChannelRead(head(response));
        return;
      }
      if (!refused || !(message instanceof HttpContent content)) {
        context.fireChannelRead(message);
        return;
      }
      boolean failed = content.decoderResult().isFailure();
      keep(content.content());
      ReferenceCountUtil.release(message);
      if (ended) {
        return;
      }
      if (message instanceof LastHttpContent || tooLong) {
        ended = true; // what comes after too long a body is of no interest, and may never end
        whole = !tooLong && !failed;
        body = whole ? received.toByteArray() : new byte[0];
        context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
      }
    }

    private void keep(ByteBuf piece) {
      tooLong |= received.size() + piece.readableBytes() > MOST_BYTES;
      if (!tooLong) {
        received.writeBytes(ByteBufUtil.getBytes(piece));
      }
    }

    private static HttpResponse head(HttpResponse response) {
      HttpResponse head =
          new DefaultHttpResponse(
              response.protocolVersion(), response.status(), response.headers().copy());
      head.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
      return head;
    }
  }
}
