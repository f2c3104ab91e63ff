package io.penstock.gateway.forward;

import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;

/**
 * Adds headers that tell the upstream which client asked. Such headers from the client itself are
 * believed only if it is a trusted proxy; the framework knows those by a property of its own, and
 * the values it sets are kept. Safe from any thread.
 */
public final class ForwardedHeaders {
  private final List<HttpHeadersFilter> trusting;

  /**
   * Creates the writer of these headers.
   *
   * @param trusting the framework's filters where there are trusted proxies; empty without any
   */
  public ForwardedHeaders(List<HttpHeadersFilter> trusting) {
    this.trusting = trusting;
  }

  /** Returns whether a header, in lower case, tells which client asked. */
  static boolean isOne(String name) {
    return name.equals("forwarded") || name.startsWith("x-forwarded-");
  }

  /** Adds the headers to {@code headers}, which must not have any of them yet. */
  void addTo(ServerWebExchange exchange, HttpHeaders headers) {
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
