package io.penstock.gateway;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.cost.CostLearner;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.EventBus;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.gateway.body.BodyMeters;
import io.penstock.gateway.body.BodySettings;
import io.penstock.key.KeyRegistry;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.provider.ProviderCount;
import io.penstock.sharing.DenialRecheck;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.tokenizer.Tokenizers;
import io.penstock.trace.Tracing;
import io.penstock.usage.UsageLedger;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.Connections;
import io.penstock.wire.Links;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.cloud.gateway.config.GlobalCorsProperties;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.headers.ForwardedHeadersFilter;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.cloud.gateway.filter.headers.XForwardedHeadersFilter;
import org.springframework.cloud.gateway.handler.FilteringWebHandler;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.core.publisher.Flux;

/**
 * Wires the filters of a request, and one route that catches all requests: endpoints have an index
 * of their own.
 */
@Configuration(proxyBeanMethods = false)
public class GatewayConfiguration {
  private static final String TRUSTED_PROXIES =
      "spring.cloud.gateway.server.webflux.trusted-proxies";

  private static final Route ALL =
      Route.async().id("all").uri("http://upstream.invalid").predicate(any -> true).build();

  @Bean
  BodySettings bodySettings(Environment environment) {
    return BodySettings.of(environment);
  }

  @Bean
  BodyBudget bodyBudget(BodySettings settings, MeterRegistry meters) {
    BodyBudget bodies = new BodyBudget(settings.mostBytes(), settings.tenantShare());
    BodyMeters.register(bodies, meters);
    return bodies;
  }

  @Bean
  Connections connections() {
    return new Connections();
  }

  @Bean
  NettyServerCustomizer connectionGuard(Connections connections) {
    return server -> ConnectionGuard.guard(server, connections);
  }

  /**
   * Creates the door. Spring must not call its close method, because it would wait for the requests
   * inside without a limit: the drain at shutdown decides how long to wait.
   */
  @Bean(destroyMethod = "")
  Door door(Connections connections) {
    return new Door(connections);
  }

  /** Creates the filter, or returns null where neither traces nor the access log are wanted. */
  @Bean
  @Nullable GlobalFilter observeFilter(
      ObjectProvider<Tracing> tracing, Ticker ticker, Environment environment) {
    Tracing traces = tracing.getIfAvailable();
    double logged = environment.getProperty("penstock.log.access", Double.class, 0.0);
    return traces == null && logged == 0 ? null : new ObserveFilter(traces, logged, ticker);
  }

  @Bean
  GlobalFilter identifyFilter(
      EndpointRegistry endpointRegistry,
      BodyBudget bodies,
      Door door,
      KeyRegistry keyRegistry,
      BrowserRules browsers,
      ObjectProvider<OwnPaths> ownPaths,
      Ticker ticker,
      Environment environment) {
    boolean required =
        environment.getProperty("penstock.keys.required", Boolean.class, Boolean.FALSE);
    return new IdentifyFilter(
        endpointRegistry,
        bodies,
        new ClientAddress(environment.getProperty(TRUSTED_PROXIES)),
        door,
        browsers,
        new Gatekeeper(keyRegistry, required, WallClock.system()),
        new StatusAnswer(endpointRegistry, ticker),
        ownPaths.getIfAvailable(),
        WallClock.system());
  }

  @Bean
  Allowances allowances(Ticker ticker) {
    return new Allowances(ticker, WallClock.system());
  }

  @Bean
  GlobalFilter weighFilter(
      CostLearner costLearner,
      Tokenizers tokenizers,
      ProviderCount provider,
      Allowances allowances,
      BodyBudget bodies,
      BodySettings settings,
      Ticker ticker) {
    return new WeighFilter(
        new Weighing(costLearner, tokenizers, provider, new Complaints(ticker)),
        new EarlyRefusal(allowances),
        bodies,
        new BodyIntake.Terms(settings.pace(), ticker));
  }

  @Bean
  Ties ties(Ticker ticker) {
    return new Ties(ticker);
  }

  @Bean
  GlobalFilter admitFilter(
      Ticker ticker,
      Ties ties,
      Allowances allowances,
      DenialRecheck denials,
      KeyRegistry keyRegistry) {
    StrictAfterDenial strict = new StrictAfterDenial(denials, keyRegistry, ticker);
    return new AdmitFilter(ticker, ties, allowances, strict);
  }

  @Bean
  Experience experience(
      CostLearner costLearner, EventBus events, Ties ties, UsageLedger usageLedger) {
    return new Experience(costLearner, events, ties, usageLedger);
  }

  @Bean
  GlobalFilter forwardFilter(Ticker ticker, Experience experience) {
    return new ForwardFilter(ticker, experience);
  }

  @Bean
  GlobalFilter settleFilter(Ticker ticker, Experience experience) {
    return new SettleFilter(ticker, experience);
  }

  @Bean
  GlobalFilter screenFilter() {
    return new ScreenFilter();
  }

  @Bean
  GlobalFilter attemptFilter(
      UpstreamAddress addresses,
      Links links,
      Ticker ticker,
      ReactorResourceFactory resources,
      RetryBudgets budgets,
      ForwardedHeaders origin,
      Allowances allowances,
      ObjectProvider<Judge> judges) {
    Judge judge = judges.getIfAvailable();
    Relay relay = new Relay(links, resources.getLoopResources());
    return new AttemptFilter(
        new Attempts.House(
            addresses,
            new UpstreamLog(judge == null ? Judge.UPSTREAM : judge),
            budgets,
            origin,
            new UpstreamCall(links),
            relay,
            allowances,
            ticker));
  }

  @Bean
  RetryBudgets retryBudgets(Ticker ticker) {
    return new RetryBudgets(ticker);
  }

  @Bean
  Links links(
      Ticker ticker,
      ReactorResourceFactory resources,
      UpstreamRegistry upstreamRegistry,
      EventBus events) {
    UpstreamClient client = new UpstreamClient(ticker, resources.getLoopResources());
    Links links = new Links(client::customize, upstreamRegistry);
    events.subscribe(links);
    return links;
  }

  /**
   * Creates the writer of forwarded headers. The framework's filters exist only where there are
   * trusted proxies.
   */
  @Bean
  ForwardedHeaders forwardedHeaders(
      ObjectProvider<ForwardedHeadersFilter> standard,
      ObjectProvider<XForwardedHeadersFilter> usual) {
    List<HttpHeadersFilter> trusting = new ArrayList<>();
    standard.ifAvailable(trusting::add);
    usual.ifAvailable(trusting::add);
    return new ForwardedHeaders(trusting);
  }

  @Bean
  CatchAll routePredicateHandlerMapping(
      FilteringWebHandler handler,
      RouteLocator routes,
      GlobalCorsProperties cors,
      Environment environment) {
    return new CatchAll(handler, routes, cors, environment, ALL);
  }

  @Bean
  RouteLocator catchAll() {
    return () -> Flux.just(ALL);
  }
}
