package io.penstock.gateway;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;

/**
 * Tells the upstream who asked. What a client says of that itself is believed only of trusted
 * proxies; the framework sees to that first, by its own property, and what it has set stays.
 */
final class ForwardedHeaders implements HttpHeadersFilter, Ordered {
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public HttpHeaders filter(HttpHeaders input, ServerWebExchange exchange) {
    ServerHttpRequest request = exchange.getRequest();
    HttpHeaders headers = new HttpHeaders();
    headers.addAll(input);
    InetSocketAddress client = request.getRemoteAddress();
    if (client != null && client.getAddress() != null) {
      setIfAbsent(headers, "X-Forwarded-For", client.getAddress().getHostAddress());
    }
    setIfAbsent(headers, "X-Forwarded-Proto", request.getURI().getScheme());
    setIfAbsent(headers, "X-Forwarded-Host", request.getHeaders().getFirst(HttpHeaders.HOST));
    return headers;
  }

  private static void setIfAbsent(HttpHeaders headers, String name, @Nullable String value) {
    if (value != null && !headers.containsHeader(name)) {
      headers.set(name, value);
    }
  }
}
