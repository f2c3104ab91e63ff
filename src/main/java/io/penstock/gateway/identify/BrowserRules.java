package io.penstock.gateway.identify;

import io.penstock.config.HostNames;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.wire.HeaderNames;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsProcessor;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Rules for requests that browsers send. Without keys, everybody that reaches the port may use the
 * gateway, and a web page reaches the ports of the machine it is shown on. It does so in one of two
 * ways: by the address of the port, in which case the browser sends the page's origin in {@code
 * Origin} or {@code Sec-Fetch-Site}; or by a host name of its own that DNS resolves to that address
 * (DNS rebinding), which then is the {@code Host} of its requests. So a gateway without keys serves
 * only hosts and origins that it knows. With keys, a page needs a key like any other client.
 *
 * <p>Pages of allowed origins may also read answers (CORS). The gateway answers preflights itself,
 * and on answers to such pages its CORS headers replace those of the upstream. Immutable.
 */
public final class BrowserRules {
  private static final Refusal FOREIGN_HOST =
      Refusal.of(
          RefusalReason.FOREIGN_HOST,
          "the Host header names another host: without keys the gateway serves loopback names, the"
              + " address it listens on and the hosts in penstock.allowed-hosts");

  private static final Refusal FOREIGN_ORIGIN =
      Refusal.of(
          RefusalReason.FOREIGN_ORIGIN,
          "the request comes from a web page of another origin: without keys only pages of the"
              + " origins in penstock.allowed-origins may use the gateway");

  private static final Refusal FOREIGN_PREFLIGHT =
      Refusal.of(
          RefusalReason.FOREIGN_ORIGIN,
          "the origin of the web page is not in penstock.allowed-origins, so its browser may not"
              + " send the request that this preflight asks about");

  private static final String CORS_HEADERS = "access-control-";

  /** The longest time for which Chromium remembers a preflight. */
  private static final Duration PREFLIGHT_AGE = Duration.ofHours(2);

  private final HostNames hosts;
  private final boolean anyOrigin;
  private final CorsConfiguration cors = new CorsConfiguration();
  private final CorsProcessor processor = new DefaultCorsProcessor();

  /**
   * Creates rules.
   *
   * @param hosts the hosts that are served without keys
   * @param origins the origins whose pages may use the gateway and read its answers, as browsers
   *     write them; {@code *} allows any
   */
  public BrowserRules(HostNames hosts, List<String> origins) {
    this.hosts = hosts;
    this.anyOrigin = origins.contains(CorsConfiguration.ALL);
    cors.setAllowedOrigins(anyOrigin ? List.of(CorsConfiguration.ALL) : origins);
    cors.addAllowedMethod(CorsConfiguration.ALL);
    cors.addAllowedHeader(CorsConfiguration.ALL);
    cors.addExposedHeader(CorsConfiguration.ALL);
    cors.setMaxAge(PREFLIGHT_AGE);
  }

  /**
   * Returns why a request is not served, or null if it is.
   *
   * @param keyed whether requests need a key
   */
  @Nullable Refusal refusal(ServerHttpRequest request, boolean keyed) {
    HttpHeaders headers = request.getHeaders();
    if (!keyed && !hosts.include(headers.getOrEmpty(HttpHeaders.HOST))) {
      return FOREIGN_HOST;
    }
    if (CorsUtils.isPreFlightRequest(request) && !isAllowed(headers)) {
      return FOREIGN_PREFLIGHT;
    }
    return !keyed && isForeign(headers) ? FOREIGN_ORIGIN : null;
  }

  private boolean isForeign(HttpHeaders headers) {
    if (anyOrigin || isAllowed(headers)) {
      return false;
    }
    return HostNames.isForeignPage(
        headers.getFirst(HttpHeaders.HOST),
        headers.getOrEmpty(HttpHeaders.ORIGIN),
        headers.getOrEmpty(HostNames.SITE));
  }

  /** Returns whether a request states an allowed origin. */
  private boolean isAllowed(HttpHeaders headers) {
    List<String> origins = headers.getOrEmpty(HttpHeaders.ORIGIN);
    return origins.size() == 1 && cors.checkOrigin(origins.getFirst()) != null;
  }

  /** Answers a preflight that is not refused. */
  Mono<Void> answer(ServerWebExchange preflight, String requestId) {
    ServerHttpResponse response = preflight.getResponse();
    response.getHeaders().set(HeaderNames.REQUEST_ID, requestId);
    response.setStatusCode(HttpStatus.NO_CONTENT);
    processor.process(cors, preflight); // sets another status if it rejects the preflight
    return response.setComplete();
  }

  /**
   * Lets the page of an allowed origin read the answer, whether the gateway or an upstream writes
   * it.
   */
  void share(ServerWebExchange exchange) {
    if (isAllowed(exchange.getRequest().getHeaders())) {
      exchange.getResponse().beforeCommit(() -> Mono.fromRunnable(() -> readable(exchange)));
    }
  }

  private void readable(ServerWebExchange exchange) {
    HttpHeaders headers = exchange.getResponse().getHeaders();
    headers.headerNames().stream()
        .filter(name -> name.regionMatches(true, 0, CORS_HEADERS, 0, CORS_HEADERS.length()))
        .toList()
        .forEach(headers::remove);
    processor.process(cors, exchange);
  }
}
