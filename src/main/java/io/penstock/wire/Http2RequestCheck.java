package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.HttpConversionUtil;

/**
 * Resets streams of HTTP/2 whose only frame is no request, such as one without a path (RFC 9113,
 * section 8.1.1). Netty's conversion refuses them too, but never releases the buffer that it made
 * for their body. Stateless.
 */
@Sharable
final class Http2RequestCheck extends ChannelInboundHandlerAdapter {
  private static final Http2RequestCheck INSTANCE = new Http2RequestCheck();
  private static final String NAME = "penstock.http2RequestCheck";

  Http2RequestCheck() {}

  /** Adds the handler to a connection that speaks HTTP/2, unless it is there. */
  static void install(Channel channel) {
    ChannelPipeline pipeline = channel.pipeline();
    ChannelHandlerContext codec = pipeline.context(Http2FrameCodec.class);
    if (codec != null && pipeline.get(NAME) == null) {
      pipeline.addAfter(codec.name(), NAME, INSTANCE);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof Http2HeadersFrame frame
        && frame.isEndStream()
        && !isTrailer(frame.headers())
        && !isRequest(frame.headers())) {
      var _ =
          context.writeAndFlush(
              new DefaultHttp2ResetFrame(Http2Error.PROTOCOL_ERROR).stream(frame.stream()));
      return;
    }
    context.fireChannelRead(message);
  }

  private static boolean isTrailer(Http2Headers headers) {
    return headers.method() == null;
  }

  private static boolean isRequest(Http2Headers headers) {
    try {
      HttpConversionUtil.toHttpRequest(0, headers, true);
      return true;
    } catch (Http2Exception | RuntimeException refused) {
      return false;
    }
  }
}
