package io.penstock.gateway.forward;

import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.endpoint.WithheldHeaders;
import io.penstock.gateway.request.ClientAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;

/**
 * Adds headers that tell the upstream which client asked, where the endpoint lists them. Such
 * headers from the client itself are believed only if it is a trusted proxy; the framework knows
 * those by a property of its own, and the values it sets are kept. Safe from any thread.
 */
public final class ForwardedHeaders {
  private final List<HttpHeadersFilter> trusting;
  private final ClientAddress addresses;

  /**
   * Creates the writer of these headers.
   *
   * @param trusting the framework's filters where there are trusted proxies; empty without any
   * @param addresses tells the client's address
   */
  public ForwardedHeaders(List<HttpHeadersFilter> trusting, ClientAddress addresses) {
    this.trusting = trusting;
    this.addresses = addresses;
  }

  /** Returns whether a header, in lower case, is written here and never taken from the client. */
  static boolean isOne(String name) {
    return name.equals("forwarded") || name.equals("x-real-ip") || name.startsWith("x-forwarded-");
  }

  /**
   * Adds the headers to {@code headers}, which must not have any of them yet.
   *
   * @param listed the withheld headers that the endpoint lists
   */
  void addTo(ServerWebExchange exchange, Set<String> listed, HttpHeaders headers) {
    if (listed.isEmpty()) {
      return;
    }
    ServerHttpRequest request = exchange.getRequest();
    if (!trusting.isEmpty()) {
      HttpHeadersFilter.filterRequest(trusting, exchange)
          .forEach(
              (name, values) -> {
                if (isOne(name.toLowerCase(Locale.ROOT)) && tells(name, listed)) {
                  headers.set(name, values);
                }
              });
    }
    InetSocketAddress peer = request.getRemoteAddress();
    if (peer != null && peer.getAddress() != null) {
      setIfAbsent(headers, listed, "X-Forwarded-For", peer.getAddress().getHostAddress());
    }
    setIfAbsent(headers, listed, "X-Forwarded-Proto", request.getURI().getScheme());
    setIfAbsent(headers, listed, "X-Forwarded-Host", request.getHeaders().getFirst("Host"));
    InetAddress client = addresses.exact(request);
    if (client != null && tells("X-Real-IP", listed)) {
      headers.set("X-Real-IP", client.getHostAddress());
    }
  }

  private static boolean tells(String name, Set<String> listed) {
    return !WithheldHeaders.OF_REQUESTS.keeps(name.toLowerCase(Locale.ROOT), listed);
  }

  private static void setIfAbsent(
      HttpHeaders headers, Set<String> listed, String name, @Nullable String value) {
    if (value != null && tells(name, listed) && !headers.contains(name)) {
      headers.set(name, value);
    }
  }
}
