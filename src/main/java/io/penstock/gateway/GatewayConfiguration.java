package io.penstock.gateway;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.cost.CostLearner;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.EventBus;
import io.penstock.gateway.admit.AdmitFilter;
import io.penstock.gateway.admit.HeardCounts;
import io.penstock.gateway.admit.ScreenFilter;
import io.penstock.gateway.body.BodyBudget;
import io.penstock.gateway.body.BodyIntake;
import io.penstock.gateway.body.BodyMeters;
import io.penstock.gateway.body.BodySettings;
import io.penstock.gateway.forward.AttemptFilter;
import io.penstock.gateway.forward.AttemptLoop;
import io.penstock.gateway.forward.ForwardFilter;
import io.penstock.gateway.forward.ForwardedHeaders;
import io.penstock.gateway.forward.RetryBudgets;
import io.penstock.gateway.forward.SettleFilter;
import io.penstock.gateway.forward.UpstreamAddress;
import io.penstock.gateway.forward.UpstreamCall;
import io.penstock.gateway.forward.UpstreamLog;
import io.penstock.gateway.forward.UpstreamProbe;
import io.penstock.gateway.forward.UpstreamProber;
import io.penstock.gateway.forward.VerdictSource;
import io.penstock.gateway.forward.WebSocketProxy;
import io.penstock.gateway.identify.BrowserRules;
import io.penstock.gateway.identify.EntryCheck;
import io.penstock.gateway.identify.IdentifyFilter;
import io.penstock.gateway.identify.OwnPaths;
import io.penstock.gateway.identify.RequestAnswer;
import io.penstock.gateway.identify.ShutdownGate;
import io.penstock.gateway.identify.StatusAnswer;
import io.penstock.gateway.request.AnswerLearning;
import io.penstock.gateway.request.ClientAddress;
import io.penstock.gateway.request.LateUsage;
import io.penstock.gateway.request.LimitHeaders;
import io.penstock.gateway.request.OpenWebSockets;
import io.penstock.gateway.request.PrefixAffinity;
import io.penstock.gateway.request.RecentRequests;
import io.penstock.gateway.request.UpstreamAffinity;
import io.penstock.gateway.request.UpstreamComplaints;
import io.penstock.gateway.request.WebSocketSettings;
import io.penstock.gateway.weigh.EarlyRefusal;
import io.penstock.gateway.weigh.RequestWeighing;
import io.penstock.gateway.weigh.WeighFilter;
import io.penstock.key.KeyRegistry;
import io.penstock.model.ModelContexts;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.prefix.CacheLearner;
import io.penstock.prefix.FingerprintKeys;
import io.penstock.provider.ProviderCount;
import io.penstock.shares.FreshCounts;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.tokenizer.TextTokenizers;
import io.penstock.trace.RequestTracing;
import io.penstock.usage.UsageLedger;
import io.penstock.wire.AnswerGuard;
import io.penstock.wire.ClientConnections;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.ConnectionUse;
import io.penstock.wire.Http2Faults;
import io.penstock.wire.UpstreamConnections;
import java.util.ArrayList;
import java.util.List;
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
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.core.publisher.Flux;
import reactor.netty.resources.LoopResources;

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
  BodyBudget bodyBudget(BodySettings settings, MeterRegistry meters) {
    BodyBudget bodies = new BodyBudget(settings.mostBytes(), settings.tenantShare());
    BodyMeters.register(bodies, meters);
    return bodies;
  }

  @Bean
  ClientConnections connections(GatewaySettings settings, MeterRegistry meters) {
    ClientConnections connections = new ClientConnections(settings.writeTimeout());
    FunctionCounter.builder("penstock.clients.stalled", connections, ClientConnections::stalled)
        .description("Answers cut off because their client took nothing of them")
        .register(meters);
    return connections;
  }

  @Bean
  NettyServerCustomizer connectionGuard(ClientConnections clientConnections, Ticker ticker) {
    Http2Faults faults = new Http2Faults(ticker);
    return server -> ConnectionGuard.guard(server, clientConnections, faults);
  }

  /**
   * Creates the door. Spring must not call its close method, because it would wait for the requests
   * inside without a limit: the drain at shutdown decides how long to wait.
   */
  @Bean(destroyMethod = "")
  ShutdownGate door(ClientConnections clientConnections) {
    return new ShutdownGate(clientConnections);
  }

  @Bean
  GlobalFilter observeFilter(
      ObjectProvider<RequestTracing> tracing, Ticker ticker, GatewaySettings settings) {
    return new ObserveFilter(tracing.getIfAvailable(), settings.loggedShare(), ticker);
  }

  @Bean
  GlobalFilter identifyFilter(
      EndpointRegistry registry,
      BodyBudget bodies,
      ShutdownGate shutdownGate,
      KeyRegistry keyRegistry,
      BrowserRules browsers,
      ObjectProvider<OwnPaths> ownPaths,
      Ticker ticker,
      GatewaySettings settings,
      Environment environment) {
    return new IdentifyFilter(
        registry,
        bodies,
        new ClientAddress(environment.getProperty(TRUSTED_PROXIES)),
        shutdownGate,
        browsers,
        new EntryCheck(keyRegistry, settings.keysRequired(), WallClock.system()),
        new StatusAnswer(registry, ticker),
        new RequestAnswer(new RecentRequests(ticker), registry.tickets(), ticker),
        ownPaths.getIfAvailable(),
        WallClock.system());
  }

  @Bean
  LimitHeaders allowances(Ticker ticker) {
    return new LimitHeaders(ticker, WallClock.system());
  }

  @Bean
  GlobalFilter weighFilter(
      CostLearner costLearner,
      CacheLearner cacheLearner,
      ModelContexts contexts,
      TextTokenizers tokenizers,
      ProviderCount provider,
      LimitHeaders limitHeaders,
      BodyBudget bodies,
      BodySettings settings,
      FingerprintKeys fingerprintKeys,
      Ticker ticker) {
    return new WeighFilter(
        new RequestWeighing(
            costLearner,
            cacheLearner,
            new PrefixAffinity(cacheLearner, ticker),
            contexts,
            ticker,
            tokenizers,
            provider,
            new UpstreamComplaints(ticker)),
        new EarlyRefusal(limitHeaders),
        bodies,
        new BodyIntake.Terms(settings.pace(), ticker),
        fingerprintKeys);
  }

  @Bean
  UpstreamAffinity ties(Ticker ticker) {
    return new UpstreamAffinity(ticker);
  }

  @Bean
  GlobalFilter admitFilter(
      Ticker ticker,
      UpstreamAffinity upstreamAffinity,
      LimitHeaders limitHeaders,
      FreshCounts freshCounts,
      KeyRegistry keyRegistry,
      CacheLearner cacheLearner) {
    HeardCounts heardCounts = new HeardCounts(freshCounts, keyRegistry, ticker);
    return new AdmitFilter(ticker, upstreamAffinity, limitHeaders, heardCounts, cacheLearner);
  }

  @Bean
  AnswerLearning experience(
      CostLearner costLearner,
      CacheLearner cacheLearner,
      EventBus events,
      UpstreamAffinity upstreamAffinity,
      UsageLedger ledger) {
    LateUsage lateUsage = new LateUsage(ledger);
    return new AnswerLearning(costLearner, cacheLearner, events, upstreamAffinity, lateUsage);
  }

  @Bean
  GlobalFilter forwardFilter(Ticker ticker) {
    return new ForwardFilter(ticker);
  }

  @Bean
  GlobalFilter settleFilter(Ticker ticker, AnswerLearning answerLearning) {
    return new SettleFilter(ticker, answerLearning);
  }

  @Bean
  OpenWebSockets openWebSockets(WebSocketSettings settings, MeterRegistry meters) {
    return new OpenWebSockets(settings, meters);
  }

  @Bean
  GlobalFilter screenFilter(OpenWebSockets webSockets, KeyRegistry keyRegistry, Ticker ticker) {
    return new ScreenFilter(webSockets, keyRegistry, ticker);
  }

  @Bean
  GlobalFilter attemptFilter(
      UpstreamAddress addresses,
      UpstreamConnections upstreamConnections,
      Ticker ticker,
      ReactorResourceFactory resources,
      RetryBudgets budgets,
      ForwardedHeaders origin,
      LimitHeaders limitHeaders,
      UpstreamRegistry upstreamRegistry,
      UpstreamProber upstreamProber,
      WebSocketSettings webSocketSettings,
      OpenWebSockets webSockets,
      KeyRegistry keyRegistry,
      ObjectProvider<FilteringWebHandler> handler,
      ObjectProvider<VerdictSource> judges) {
    VerdictSource verdictSource =
        judges
            .getIfAvailable(() -> VerdictSource.UPSTREAM)
            .telling((upstream, history, lesson, now) -> upstreamProber.watch(upstream))
            .telling(new UpstreamLog());
    WebSocketProxy webSocketProxy =
        new WebSocketProxy(
            upstreamConnections,
            resources.getLoopResources(),
            webSockets,
            webSocketSettings.idleTimeout(),
            keyRegistry,
            exchange -> {
              exchange.getAttributes().put(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR, ALL);
              return handler.getObject().handle(exchange);
            },
            ticker);
    return new AttemptFilter(
        new AttemptLoop.Services(
            addresses,
            upstreamRegistry,
            verdictSource,
            budgets,
            origin,
            new UpstreamCall(upstreamConnections, ticker),
            webSocketProxy,
            limitHeaders,
            ticker));
  }

  @Bean
  UpstreamProber upstreamProber(
      UpstreamAddress addresses,
      UpstreamConnections upstreamConnections,
      EndpointRegistry endpointRegistry,
      UpstreamRegistry upstreamRegistry,
      ReactorResourceFactory resources,
      Ticker ticker) {
    UpstreamProbe upstreamProbe =
        new UpstreamProbe(
            addresses, upstreamConnections, endpointRegistry, resources.getLoopResources());
    return new UpstreamProber(
        upstreamProbe, upstreamRegistry, ticker, upstreamConnections.getPhase() + 1);
  }

  @Bean
  RetryBudgets retryBudgets(Ticker ticker) {
    return new RetryBudgets(ticker);
  }

  @Bean
  UpstreamConnections links(
      ReactorResourceFactory resources,
      UpstreamRegistry upstreamRegistry,
      EventBus events,
      Ticker ticker) {
    // on the event loops of the clients, so that the answer of a new connection stays on one thread
    LoopResources loops = resources.getLoopResources();
    UpstreamConnections upstreamConnections =
        new UpstreamConnections(
            client ->
                client
                    .runOn(loops)
                    .doOnChannelInit(
                        (observer, channel, address) -> {
                          AnswerGuard.install(channel);
                          ConnectionUse.install(channel, ticker);
                        }),
            upstreamRegistry);
    events.subscribe(upstreamConnections);
    return upstreamConnections;
  }

  /**
   * Creates the writer of forwarded headers. The framework's filters exist only where there are
   * trusted proxies.
   */
  @Bean
  ForwardedHeaders forwardedHeaders(
      ObjectProvider<ForwardedHeadersFilter> standard,
      ObjectProvider<XForwardedHeadersFilter> usual,
      Environment environment) {
    List<HttpHeadersFilter> trusting = new ArrayList<>();
    standard.ifAvailable(trusting::add);
    usual.ifAvailable(trusting::add);
    return new ForwardedHeaders(
        trusting, new ClientAddress(environment.getProperty(TRUSTED_PROXIES)));
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
