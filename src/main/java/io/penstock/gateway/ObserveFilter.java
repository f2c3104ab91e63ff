package io.penstock.gateway;

import io.penstock.gateway.request.FilterOrder;
import io.penstock.gateway.request.RequestContext;
import io.penstock.time.Ticker;
import io.penstock.trace.RequestTracing;
import io.penstock.trace.RequestTrail;
import io.penstock.wire.HeaderNames;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Starts the trails that follow requests: all, some, or none where neither traces nor the access
 * log are wanted.
 */
final class ObserveFilter implements GlobalFilter, Ordered {
  private final @Nullable RequestTracing tracing;
  private final double logged;
  private final Ticker ticker;

  /**
   * Creates the filter.
   *
   * @param tracing follows all requests; null for none
   * @param logged the share of requests that get a line in the access log, 0 to 1
   */
  ObserveFilter(@Nullable RequestTracing tracing, double logged, Ticker ticker) {
    this.tracing = tracing;
    this.logged = logged;
    this.ticker = ticker;
  }

  @Override
  public int getOrder() {
    return FilterOrder.OBSERVE;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    boolean drawn =
        AccessLine.ofEveryRequest()
            || (logged > 0 && ThreadLocalRandom.current().nextDouble() < logged);
    if (tracing == null && !drawn) {
      return chain.filter(exchange);
    }
    ServerHttpRequest request = exchange.getRequest();
    RequestTrail traced =
        tracing == null
            ? RequestTrail.NONE
            : tracing.begin(
                request.getMethod().name(), request.getURI().getRawPath(), request.getHeaders());
    RequestTrail requestTrail = drawn ? new AccessLine(traced, exchange, ticker) : traced;
    RequestContext.follow(exchange, requestTrail);
    return chain.filter(exchange).doFinally(signal -> ended(exchange, requestTrail));
  }

  private static void ended(ServerWebExchange exchange, RequestTrail requestTrail) {
    // a request that never came to an endpoint was answered by the gateway alone
    RequestContext requestContext = RequestContext.find(exchange);
    String reason =
        requestContext == null
            ? exchange.getResponse().getHeaders().getFirst(HeaderNames.REASON)
            : null;
    requestTrail.ended(RequestContext.status(exchange), reason);
  }
}
