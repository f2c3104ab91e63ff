package io.penstock.gateway;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.Settlement;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.RouteMetadataUtils;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Step 6, forward: to the upstream that was chosen, or a permit where there is none. */
final class ForwardFilter implements GlobalFilter, Ordered {
  private final UpstreamAddress addresses;
  private final Ticker ticker;

  ForwardFilter(UpstreamAddress addresses, Ticker ticker) {
    this.addresses = addresses;
    this.ticker = ticker;
  }

  @Override
  public int getOrder() {
    return Steps.FORWARD;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    Passage passage = Passage.of(exchange);
    Settlement settlement = Objects.requireNonNull(passage.settlement());
    Upstream upstream = settlement.upstream();
    if (upstream == null) {
      settlement.permitted(ticker.nanos());
      return PermitAnswer.write(exchange, passage, settlement);
    }
    UpstreamSpec spec = upstream.spec();
    URI target = target(passage, spec, exchange.getRequest().getURI().getRawPath());
    if (target == null) {
      Refusal refusal = Refusal.of(Reason.BAD_REQUEST, "the path or query is not a valid URI");
      settlement.refused(refusal, ticker.nanos());
      return Refuser.refuse(exchange, passage, refusal);
    }
    ServerHttpRequest outgoing = OutgoingRequest.of(exchange.getRequest(), passage, spec);
    ServerWebExchange forwarded = exchange.mutate().request(outgoing).build();
    forwarded.getAttributes().put(ServerWebExchangeUtils.GATEWAY_REQUEST_URL_ATTR, target);
    forwarded.getAttributes().put(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR, route(spec, target));
    return chain.filter(forwarded);
  }

  private @Nullable URI target(Passage passage, UpstreamSpec spec, String path) {
    EndpointSpec endpoint = passage.endpoint().spec();
    String base = addresses.of(spec).toString();
    String trimmed = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    String query = passage.parameters().query();
    try {
      return URI.create(
          trimmed + Paths.forwarded(endpoint, path) + (query == null ? "" : "?" + query));
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  /** The framework reads the connect timeout from the route. */
  private static Route route(UpstreamSpec spec, URI target) {
    int millis = (int) Math.max(1, spec.link().timeouts().connectNanos() / 1_000_000);
    return Route.async()
        .id(spec.id())
        .uri(target)
        .predicate(any -> true)
        .metadata(RouteMetadataUtils.CONNECT_TIMEOUT_ATTR, millis)
        .build();
  }
}
