package io.penstock.redis;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import javax.net.ssl.SSLException;
import org.redisson.client.NettyHook;

/**
 * Hears that servers end TLS because they want a certificate of their client. With TLS 1.3 that
 * comes after the handshake, and Redisson reports no more than that nothing answers.
 */
final class TlsAlerts implements NettyHook {
  private final Runnable wanted;

  TlsAlerts(Runnable wanted) {
    this.wanted = wanted;
  }

  @Override
  public void afterBoostrapInitialization(Bootstrap bootstrap) {
    // nothing to be done before there is a connection
  }

  @Override
  public void afterChannelInitialization(Channel channel) {
    ChannelHandlerContext tls = channel.pipeline().context(SslHandler.class);
    if (tls != null) {
      channel.pipeline().addAfter(tls.name(), "penstock.alerts", new Listener());
    }
  }

  private static boolean wantsCertificate(Throwable error) {
    Throwable each = error;
    for (int depth = 0; each != null && depth < 10; depth++) {
      if (each instanceof SSLException alert
          && String.valueOf(alert.getMessage()).contains("certificate_required")) {
        return true;
      }
      each = each.getCause();
    }
    return false;
  }

  private final class Listener extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
      if (wantsCertificate(error)) {
        wanted.run();
      }
      context.fireExceptionCaught(error);
    }
  }
}
