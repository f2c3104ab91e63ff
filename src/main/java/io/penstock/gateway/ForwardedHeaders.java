package io.penstock.gateway;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;

/**
 * Tells the upstream who asked. What a client says of that itself is believed only of trusted
 * proxies, which the framework knows by its own property; what it has set then stays. Safe from any
 * thread.
 */
final class ForwardedHeaders {
  private final List<HttpHeadersFilter> trusting;

  /**
   * Makes one.
   *
   * @param trusting what the framework tells where there are trusted proxies; empty without any
   */
  ForwardedHeaders(List<HttpHeadersFilter> trusting) {
    this.trusting = trusting;
  }

  /** Returns whether a header, in lower case, says who asked. */
  static boolean isOne(String name) {
    return name.equals("forwarded") || name.startsWith("x-forwarded-");
  }

  /** Tells it in headers that say nothing of that yet. */
  void tell(ServerWebExchange exchange, HttpHeaders headers) {
    ServerHttpRequest request = exchange.getRequest();
    if (!trusting.isEmpty()) {
      HttpHeadersFilter.filterRequest(trusting, exchange)
          .forEach(
              (name, values) -> {
                if (isOne(name.toLowerCase(Locale.ROOT))) {
                  headers.set(name, values);
                }
              });
    }
    InetSocketAddress client = request.getRemoteAddress();
    if (client != null && client.getAddress() != null) {
      setIfAbsent(headers, "X-Forwarded-For", client.getAddress().getHostAddress());
    }
    setIfAbsent(headers, "X-Forwarded-Proto", request.getURI().getScheme());
    setIfAbsent(headers, "X-Forwarded-Host", request.getHeaders().getFirst("Host"));
  }

  private static void setIfAbsent(HttpHeaders headers, String name, @Nullable String value) {
    if (value != null && !headers.contains(name)) {
      headers.set(name, value);
    }
  }
}
