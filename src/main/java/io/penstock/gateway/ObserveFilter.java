package io.penstock.gateway;

import io.penstock.time.Ticker;
import io.penstock.trace.Tracing;
import io.penstock.trace.Trail;
import io.penstock.wire.Names;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Starts the trails that follow requests, all or some. Exists only while traces or the access log
 * are wanted.
 */
final class ObserveFilter implements GlobalFilter, Ordered {
  private static final String TRAIL = Trail.class.getName();

  private final @Nullable Tracing tracing;
  private final double logged;
  private final Ticker ticker;

  /**
   * Creates the filter.
   *
   * @param tracing follows all requests; null for none
   * @param logged the share of requests that get a line in the access log, 0 to 1
   */
  ObserveFilter(@Nullable Tracing tracing, double logged, Ticker ticker) {
    this.tracing = tracing;
    this.logged = logged;
    this.ticker = ticker;
  }

  /** Returns the trail of an exchange. */
  static Trail of(ServerWebExchange exchange) {
    Trail trail = exchange.getAttribute(TRAIL);
    return trail == null ? Trail.NONE : trail;
  }

  @Override
  public int getOrder() {
    return Steps.OBSERVE;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    ServerHttpRequest request = exchange.getRequest();
    Trail traced =
        tracing == null
            ? Trail.NONE
            : tracing.begin(
                request.getMethod().name(), request.getURI().getRawPath(), request.getHeaders());
    boolean drawn = logged > 0 && ThreadLocalRandom.current().nextDouble() < logged;
    Trail trail = drawn ? new AccessLine(traced, exchange, ticker) : traced;
    exchange.getAttributes().put(TRAIL, trail);
    return chain.filter(exchange).doFinally(signal -> ended(exchange, trail));
  }

  private static void ended(ServerWebExchange exchange, Trail trail) {
    HttpStatusCode code = exchange.getResponse().getStatusCode();
    int status = code != null && exchange.getResponse().isCommitted() ? code.value() : 0;
    // a request that never came to an endpoint was answered by the gateway alone
    Passage passage = Passage.find(exchange);
    String reason =
        passage == null ? exchange.getResponse().getHeaders().getFirst(Names.REASON) : null;
    trail.ended(status, reason);
  }
}
