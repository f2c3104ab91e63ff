package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import reactor.netty.NettyPipeline;

/**
 * Handler right behind the codec of a connection to an upstream. Input that is not HTTP, or
 * switches to another protocol, becomes an error that is known to be the upstream's; interim
 * answers, such as early hints, are skipped.
 */
public final class AnswerGuard extends ChannelInboundHandlerAdapter {
  /** Thrown when an upstream sent something that is not an HTTP answer. */
  public static final class NotHttp extends IOException {
    private static final long serialVersionUID = 1L;

    private NotHttp() {
      super("not an HTTP answer");
    }

    /** Leaves the stack trace out, because it would tell nothing about this program. */
    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  private static final String NAME = "penstock.guard";

  private boolean early;

  private AnswerGuard() {}

  /** Adds a guard to a new connection. */
  public static void install(Channel channel) {
    if (channel.pipeline().get(NettyPipeline.HttpCodec) != null) {
      channel.pipeline().addAfter(NettyPipeline.HttpCodec, NAME, new AnswerGuard());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (early && message instanceof LastHttpContent) {
      early = false;
      drop(context, message);
      return;
    }
    if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
      if (!(part.decoderResult().cause() instanceof TooLongHttpHeaderException)) {
        part.setDecoderResult(DecoderResult.failure(new NotHttp()));
      }
    } else if (message instanceof HttpResponse response) {
      int status = response.status().code();
      if (status == HttpResponseStatus.SWITCHING_PROTOCOLS.code()) {
        response.setDecoderResult(DecoderResult.failure(new NotHttp()));
      } else if (status > HttpResponseStatus.SWITCHING_PROTOCOLS.code() && status < 200) {
        early = true;
        drop(context, message);
        return;
      }
    }
    context.fireChannelRead(message);
  }

  private static void drop(ChannelHandlerContext context, Object message) {
    ReferenceCountUtil.release(message);
    context.read();
  }
}
