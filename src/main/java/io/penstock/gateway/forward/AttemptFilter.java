package io.penstock.gateway.forward;

import io.penstock.gateway.request.FilterOrder;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Calls the chosen upstream, and perhaps others after it, until there is an answer for the client.
 */
public final class AttemptFilter implements GlobalFilter, Ordered {
  private final AttemptLoop.Services services;

  public AttemptFilter(AttemptLoop.Services services) {
    this.services = services;
  }

  @Override
  public int getOrder() {
    return FilterOrder.ATTEMPT;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    return Mono.defer(() -> new AttemptLoop(services, exchange).next());
  }
}
