package io.penstock.gateway.forward;

import io.penstock.dispatch.TicketSettlement;
import io.penstock.gateway.request.FilterOrder;
import io.penstock.gateway.request.RequestContext;
import io.penstock.time.Ticker;
import java.util.Objects;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Step 6, forward: on to the upstream that was chosen, or a permit where there is none. */
public final class ForwardFilter implements GlobalFilter, Ordered {
  private final Ticker ticker;

  public ForwardFilter(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public int getOrder() {
    return FilterOrder.FORWARD;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    RequestContext requestContext = RequestContext.of(exchange);
    TicketSettlement ticketSettlement = Objects.requireNonNull(requestContext.settlement());
    if (ticketSettlement.upstream() != null) {
      return chain.filter(exchange);
    }
    ticketSettlement.permitted(ticker.nanos());
    return PermitAnswer.write(exchange, requestContext, ticketSettlement);
  }
}
