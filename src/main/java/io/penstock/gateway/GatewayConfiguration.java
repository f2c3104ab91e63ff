package io.penstock.gateway;

import io.penstock.endpoint.Registry;
import io.penstock.time.Ticker;
import org.springframework.cloud.gateway.config.HttpClientCustomizer;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;

/** The steps of a request, and one route that catches all: endpoints have an index of their own. */
@Configuration(proxyBeanMethods = false)
public class GatewayConfiguration {
  @Bean
  GlobalFilter identifyFilter(Registry registry) {
    return new IdentifyFilter(registry);
  }

  @Bean
  GlobalFilter weighFilter() {
    return new WeighFilter();
  }

  @Bean
  GlobalFilter admitFilter() {
    return new AdmitFilter();
  }

  @Bean
  GlobalFilter forwardFilter(UpstreamAddress addresses, Ticker ticker) {
    return new ForwardFilter(addresses, ticker);
  }

  @Bean
  GlobalFilter settleFilter(Ticker ticker) {
    return new SettleFilter(ticker);
  }

  @Bean
  HttpClientCustomizer upstreamClient(Ticker ticker) {
    return new UpstreamClient(ticker);
  }

  @Bean
  RouteLocator catchAll() {
    Route route =
        Route.async().id("all").uri("http://upstream.invalid").predicate(any -> true).build();
    return () -> Flux.just(route);
  }
}
