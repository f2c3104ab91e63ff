package io.penstock.gateway.identify;

import io.netty.handler.codec.http.HttpVersion;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Rule that a request names exactly one host (RFC 9112, section 3.2): two servers on its way could
 * each go by another one.
 */
final class HostRule {
  private HostRule() {}

  /** Returns what is wrong with the Host header of a request, or null. */
  static @Nullable String fault(ServerHttpRequest request) {
    HttpServerRequest asked = ServerHttpRequestDecorator.getNativeRequest(request);
    return fault(request.getHeaders().getOrEmpty(HttpHeaders.HOST), asked.version());
  }

  /**
   * Returns what is wrong with the values of a Host header, or null.
   *
   * @param version the version of HTTP; HTTP/1.0 has no such header
   */
  static @Nullable String fault(List<String> hosts, HttpVersion version) {
    if (hosts.isEmpty()) {
      return version.equals(HttpVersion.HTTP_1_0) ? null : "the request has no Host header";
    }
    // over HTTP/2 the same host may be there as :authority and as Host
    if (new HashSet<>(hosts).size() > 1 || (hosts.size() > 1 && version.majorVersion() < 2)) {
      return "the request has more than one Host header";
    }
    String host = hosts.getFirst();
    boolean one =
        !host.isBlank()
            && host.chars().noneMatch(c -> c <= ' ' || c == ',' || c == '/' || c == '@');
    return one ? null : "the Host header is not the name of one host";
  }
}
