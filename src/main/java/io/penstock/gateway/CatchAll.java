package io.penstock.gateway;

import io.penstock.gateway.identify.BrowserRules;
import org.springframework.cloud.gateway.config.GlobalCorsProperties;
import org.springframework.cloud.gateway.handler.FilteringWebHandler;
import org.springframework.cloud.gateway.handler.RoutePredicateHandlerMapping;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.core.env.Environment;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/**
 * Sends every request through the gateway's filters, including a browser's preflight: the framework
 * would answer that by its own settings, but {@link BrowserRules} decides about it.
 */
final class CatchAll extends RoutePredicateHandlerMapping {
  /** The only route; it matches every request. */
  private final Mono<Route> route;

  CatchAll(
      FilteringWebHandler handler,
      RouteLocator routes,
      GlobalCorsProperties cors,
      Environment environment,
      Route route) {
    super(handler, routes, cors, environment);
    this.route = Mono.just(route);
  }

  @Override
  protected Mono<Route> lookupRoute(ServerWebExchange exchange) {
    return route;
  }

  @Override
  public Mono<Object> getHandler(ServerWebExchange exchange) {
    Mono<Object> handler = getHandlerInternal(exchange).cast(Object.class);
    // The framework asks for the handler of a preflight and never calls it.
    return CorsUtils.isPreFlightRequest(exchange.getRequest())
        ? handler.flatMap(found -> ((WebHandler) found).handle(exchange).thenReturn(found))
        : handler;
  }
}
