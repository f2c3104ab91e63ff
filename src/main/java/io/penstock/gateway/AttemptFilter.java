package io.penstock.gateway;

import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Has the upstream called, and maybe another, until there is something for the client. */
final class AttemptFilter implements GlobalFilter, Ordered {
  private final Attempts.House house;

  AttemptFilter(Attempts.House house) {
    this.house = house;
  }

  @Override
  public int getOrder() {
    return Steps.ATTEMPT;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    return Mono.defer(() -> new Attempts(house, exchange).next());
  }
}
