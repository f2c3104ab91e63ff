package io.penstock.operator;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.config.Prices;
import io.penstock.config.Reloader;
import io.penstock.cost.Expectations;
import io.penstock.endpoint.Registry;
import io.penstock.event.EventBus;
import io.penstock.pool.Upstreams;
import io.penstock.provider.ProviderCount;
import io.penstock.provider.Tokenizers;
import io.penstock.quota.Ledger;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * The operator port. These beans live in the management context alone, so that the gateway's port
 * has none of them.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class OperatorConfiguration {
  @Bean
  HttpHandlerDecoratorFactory operatorGuard(
      ManagementServerProperties server, Environment environment) {
    return new Guard(
        server.getAddress(),
        environment.getProperty("management.server.address"),
        environment.getProperty(Guard.TOKEN));
  }

  @Bean
  OperatorErrors operatorErrors() {
    return new OperatorErrors();
  }

  @Bean
  EventStream eventStream(EventBus events, Ticker ticker, MeterRegistry meters) {
    EventJson json = new EventJson(ticker, WallClock.system());
    Counter dropped =
        Counter.builder("penstock.events.dropped")
            .description("Events that were lost to readers slower than they came")
            .register(meters);
    return new EventStream(events, json, dropped);
  }

  @Bean
  CountHandler countHandler(
      Registry registry, Expectations expectations, Tokenizers tokenizers, ProviderCount provider) {
    return new CountHandler(registry, expectations, tokenizers, provider);
  }

  @Bean
  UsageHandler usageHandler(Ledger ledger, Prices prices) {
    return new UsageHandler(ledger, prices);
  }

  /**
   * All there is on this port besides the actuator. The last line matters: handlers are looked up
   * in the gateway's context too, and its one route would forward whatever is not caught here.
   */
  @Bean
  RouterFunction<ServerResponse> operatorRoutes(
      Registry registry,
      Upstreams upstreams,
      Ticker ticker,
      EventStream events,
      Reloader reloader,
      CountHandler counts,
      UsageHandler usage) {
    EndpointsHandler endpoints = new EndpointsHandler(registry, upstreams, ticker);
    UpstreamsHandler providers = new UpstreamsHandler(upstreams, ticker, WallClock.system());
    ReloadHandler reload = new ReloadHandler(reloader);
    return RouterFunctions.route()
        .GET("/endpoints", endpoints::list)
        .GET("/upstreams", providers::list)
        .GET("/config", endpoints::config)
        .GET("/events", events::open)
        .POST("/reload", request -> reload.reload())
        .POST("/tokens/count", counts::count)
        .GET("/usage", usage::list)
        .path("/usage", () -> Problem.only("GET"))
        .path("/endpoints", () -> Problem.only("GET"))
        .path("/upstreams", () -> Problem.only("GET"))
        .path("/config", () -> Problem.only("GET"))
        .path("/events", () -> Problem.only("GET"))
        .path("/reload", () -> Problem.only("POST"))
        .path("/tokens/count", () -> Problem.only("POST"))
        .route(
            RequestPredicates.all(),
            request -> Problem.of(HttpStatus.NOT_FOUND, "there is nothing here").answer())
        .build();
  }
}
