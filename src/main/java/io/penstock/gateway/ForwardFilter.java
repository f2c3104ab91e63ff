package io.penstock.gateway;

import io.penstock.endpoint.TicketSettlement;
import io.penstock.time.Ticker;
import java.util.Objects;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Step 6, forward: on to the upstream that was chosen, or a permit where there is none. */
final class ForwardFilter implements GlobalFilter, Ordered {
  private final Ticker ticker;
  private final Experience experience;

  ForwardFilter(Ticker ticker, Experience experience) {
    this.ticker = ticker;
    this.experience = experience;
  }

  @Override
  public int getOrder() {
    return Steps.FORWARD;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    Passage passage = Passage.of(exchange);
    TicketSettlement ticketSettlement = Objects.requireNonNull(passage.settlement());
    if (ticketSettlement.upstream() != null) {
      return chain.filter(exchange);
    }
    ticketSettlement.permitted(ticker.nanos());
    experience.settled(passage, null, passage.cost().outputTokens(), true);
    return PermitAnswer.write(exchange, passage, ticketSettlement);
  }
}
