package io.penstock.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http.HttpUtil;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Ignores a client's offer to go on in HTTP/2 if it stands in a request with a body, which is then
 * served over HTTP/1.1 (RFC 9110, section 7.8). To accept it, the server would have to keep the
 * whole body in memory before it knows whose request that is. Stateless.
 */
@Sharable
final class BodyUpgrades extends ChannelInboundHandlerAdapter {
  private static final BodyUpgrades INSTANCE = new BodyUpgrades();
  private static final String NAME = "penstock.bodyUpgrades";
  private static final String HTTP2 = "h2c";
  private static final String SETTINGS = "http2-settings";

  private BodyUpgrades() {}

  /** Adds the handler to a connection on which clients may offer HTTP/2. */
  static void install(Channel channel) {
    ChannelHandlerContext upgrading = channel.pipeline().context(HttpServerUpgradeHandler.class);
    if (upgrading != null) {
      channel.pipeline().addBefore(upgrading.name(), NAME, INSTANCE);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request
        && hasBody(request)
        && request.headers().containsValue(HttpHeaderNames.UPGRADE, HTTP2, true)) {
      ignore(request.headers());
    }
    context.fireChannelRead(message);
  }

  private static boolean hasBody(HttpRequest request) {
    return HttpUtil.isTransferEncodingChunked(request)
        || HttpUtil.getContentLength(request, 0L) > 0;
  }

  private static void ignore(HttpHeaders headers) {
    headers.remove(HttpHeaderNames.UPGRADE).remove(SETTINGS);
    List<String> kept =
        headers.getAll(HttpHeaderNames.CONNECTION).stream()
            .flatMap(line -> Arrays.stream(line.split(",", -1)))
            .map(String::strip)
            .filter(option -> !isOfUpgrade(option.toLowerCase(Locale.ROOT)))
            .toList();
    headers.remove(HttpHeaderNames.CONNECTION);
    if (!kept.isEmpty()) {
      headers.set(HttpHeaderNames.CONNECTION, String.join(", ", kept));
    }
  }

  private static boolean isOfUpgrade(String option) {
    return option.isEmpty() || option.equals("upgrade") || option.equals(SETTINGS);
  }
}
