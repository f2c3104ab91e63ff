package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection in stages (RFC 9112 §9.6). If a connection is closed while its client still
 * sends, the system resets it, and a client that sends everything before it reads would never see
 * its answer. So the client first learns that nothing more comes. Then its input is discarded until
 * it has sent everything or closes too, but for at most ten seconds, and only then the connection
 * is closed. Belongs to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the caller of close has the promise
final class LingeringClose extends ChannelInboundHandlerAdapter {
  private static final long MOST_SECONDS = 10;

  private final ChannelPromise closed;
  private @Nullable Future<?> end;

  private LingeringClose(ChannelPromise closed) {
    this.closed = closed;
  }

  /**
   * Begins to close; to be called once the answer is written.
   *
   * @param behind the handler that gets no more input
   * @param closed completed once the connection is gone
   */
  static void begin(ChannelHandlerContext behind, ChannelPromise closed) {
    behind.pipeline().addBefore(behind.name(), null, new LingeringClose(closed));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    Channel channel = context.channel();
    channel.closeFuture().addListener(done -> closed.trySuccess());
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls != null) {
      tls.closeOutbound();
    } else if (channel instanceof DuplexChannel socket) {
      socket.shutdownOutput();
    }
    end = context.executor().schedule(() -> context.close(), MOST_SECONDS, TimeUnit.SECONDS);
    channel.config().setAutoRead(true);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    boolean all =
        message instanceof LastHttpContent
            && message instanceof HttpObject last
            && last.decoderResult().isSuccess();
    ReferenceCountUtil.release(message);
    if (all) {
      context.close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      context.close();
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (end != null) {
      end.cancel(false);
    }
    context.fireChannelInactive();
  }
}
