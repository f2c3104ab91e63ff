package io.penstock.operator;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.config.ConfigurationReloader;
import io.penstock.config.PriceTable;
import io.penstock.config.ProgramVersion;
import io.penstock.cost.CostLearner;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.EventBus;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeyStore;
import io.penstock.model.DecisionService;
import io.penstock.model.DecisionWaits;
import io.penstock.model.ModelQuotas;
import io.penstock.model.QuotaReservations;
import io.penstock.park.SchedulerAlarm;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.provider.ProviderCount;
import io.penstock.shares.ShareSlots;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.tokenizer.TextTokenizers;
import io.penstock.usage.UsageLedger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Beans of the operator port. They live only in the management context, so that the gateway's port
 * has none of them.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class OperatorConfiguration {
  private static final int MOST_REFUSALS = 100;
  private static final int MOST_ACTIONS = 100;

  /** Name of the token that has no name of its own. */
  private static final String OPERATOR = "operator";

  @Bean
  OperatorGuard operatorGuard(
      AuditLog auditLog,
      ManagementServerProperties server,
      OperatorSettings settings,
      Environment environment,
      Ticker ticker) {
    Map<String, String> tokens = new HashMap<>(settings.tokens());
    if (settings.token() != null) {
      tokens.putIfAbsent(OPERATOR, settings.token());
    }
    return new OperatorGuard(
        server.getAddress(),
        environment.getProperty("management.server.address"),
        tokens,
        auditLog,
        ticker);
  }

  @Bean
  AuditLog auditLog(EventBus events, Ticker ticker) {
    return new AuditLog(events, ticker, WallClock.system());
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
      EndpointRegistry registry,
      CostLearner costLearner,
      TextTokenizers tokenizers,
      ProviderCount provider) {
    return new CountHandler(registry, costLearner, tokenizers, provider);
  }

  @Bean
  SchedulerAlarm decisionAlarm(Ticker ticker) {
    return new SchedulerAlarm("penstock-decisions", ticker);
  }

  @Bean
  QuotaRoutes quotaRoutes(
      ModelQuotas models,
      SchedulerAlarm alarm,
      Ticker ticker,
      MeterRegistry meters,
      OperatorSettings settings) {
    DecisionService decisionService = new DecisionService(models);
    DecisionWaits decisionWaits = new DecisionWaits(models, decisionService, ticker, alarm);
    QuotaReservations quotaReservations =
        new QuotaReservations(models, decisionService, settings.reservationTimeout().toNanos());
    Gauge.builder("penstock.decision.waits", decisionWaits, DecisionWaits::size)
        .description("Programs that wait until a model may be asked")
        .register(meters);
    Gauge.builder("penstock.reservations", quotaReservations, QuotaReservations::size)
        .description("Reservations that are not settled")
        .register(meters);
    WallClock clock = WallClock.system();
    return new QuotaRoutes(
        new QuotasHandler(models, decisionService, ticker, clock),
        new DecisionsHandler(decisionService, decisionWaits, quotaReservations, ticker, clock));
  }

  @Bean
  LogLevels logLevels(LoggingSystem loggingSystem, Ticker ticker) {
    return new LogLevels(loggingSystem, new SchedulerAlarm("penstock-log-levels", ticker), ticker);
  }

  @Bean
  KeysHandler keysHandler(
      KeyRegistry keyRegistry,
      EndpointRegistry registry,
      Ticker ticker,
      ObjectProvider<KeyStore> store) {
    return new KeysHandler(
        store.getIfAvailable(),
        new KeyUse(keyRegistry, registry.tickets(), ticker, WallClock.system()));
  }

  @Bean
  UsageHandler usageHandler(UsageLedger ledger, PriceTable priceTable) {
    return new UsageHandler(ledger, priceTable);
  }

  /** The gateway's port is known only once it is open. */
  @Bean
  ProbeHandler probeHandler(
      EndpointRegistry registry,
      Ticker ticker,
      ReactorResourceFactory loops,
      ServerProperties server,
      ApplicationContext context) {
    ApplicationContext gateway = Objects.requireNonNull(context.getParent(), "the gateway's");
    return new ProbeHandler(
        registry,
        () -> {
          InetAddress address = server.getAddress();
          boolean any = address == null || address.isAnyLocalAddress();
          return new ProbeHandler.Port(
              new InetSocketAddress(
                  any ? InetAddress.getLoopbackAddress() : address,
                  gateway.getEnvironment().getRequiredProperty("local.server.port", Integer.class)),
              Ssl.isEnabled(server.getSsl()));
        },
        loops.getLoopResources(),
        ticker);
  }

  /**
   * All routes of this port except the actuator's. The last line matters: handlers are also looked
   * up in the gateway's context, and its catch-all route would forward every request that is not
   * matched here.
   */
  @Bean
  RouterFunction<ServerResponse> operatorRoutes(
      EndpointRegistry registry,
      UpstreamRegistry upstreamRegistry,
      SharingView sharing,
      ShareSlots slots,
      AuditLog auditLog,
      Ticker ticker,
      EventStream events,
      ConfigurationReloader reloader,
      CountHandler counts,
      QuotaRoutes quotas,
      KeysHandler keys,
      UsageHandler usage,
      ProbeHandler probes,
      LogLevels logLevels,
      InstanceView instance) {
    EndpointsHandler endpoints =
        new EndpointsHandler(registry, upstreamRegistry, reloader, ticker, WallClock.system());
    UpstreamsHandler providers = new UpstreamsHandler(upstreamRegistry, ticker, WallClock.system());
    ReloadHandler reload = new ReloadHandler(reloader);
    return RouterFunctions.route()
        .GET("/endpoints", endpoints::list)
        .POST("/endpoints/pause", endpoints::pause)
        .POST("/endpoints/resume", endpoints::resume)
        .POST("/endpoints/test", probes::send)
        .add(new TicketsHandler(registry, sharing, ticker, WallClock.system()).routes())
        .GET("/upstreams", providers::list)
        .POST("/upstreams/retry", providers::retry)
        .POST("/upstreams/pause", providers::pause)
        .POST("/upstreams/resume", providers::resume)
        .GET("/config", endpoints::config)
        .GET("/audit", request -> audit(request, auditLog))
        .GET("/events", events::open)
        .POST("/reload", request -> reload.reload())
        .POST("/tokens/count", counts::count)
        .add(quotas.all())
        .GET("/openapi.json", request -> openApi("openapi.json"))
        .path("/openapi.json", () -> ProblemAnswer.only("GET"))
        .GET("/openapi/coordination.json", request -> openApi("coordination.json"))
        .path("/openapi/coordination.json", () -> ProblemAnswer.only("GET"))
        .GET("/version", request -> OperatorJson.answer(ProgramVersion.running()))
        .path("/version", () -> ProblemAnswer.only("GET"))
        .GET(
            "/refusals",
            request -> OperatorJson.answer(registry.tickets().refusedMost(MOST_REFUSALS)))
        .path("/refusals", () -> ProblemAnswer.only("GET"))
        .GET("/instance", request -> OperatorJson.answer(instance.view()))
        .path("/instance", () -> ProblemAnswer.only("GET"))
        .GET("/usage", usage::list)
        .path("/usage", () -> ProblemAnswer.only("GET"))
        .path("/endpoints/{task:pause|resume|test}", () -> ProblemAnswer.only("POST"))
        .path("/endpoints", () -> ProblemAnswer.only("GET"))
        .path("/upstreams", () -> ProblemAnswer.only("GET"))
        .path("/upstreams/{task:retry|pause|resume}", () -> ProblemAnswer.only("POST"))
        .path("/audit", () -> ProblemAnswer.only("GET"))
        .path("/config", () -> ProblemAnswer.only("GET"))
        .path("/events", () -> ProblemAnswer.only("GET"))
        .path("/reload", () -> ProblemAnswer.only("POST"))
        .path("/tokens/count", () -> ProblemAnswer.only("POST"))
        .add(keys.routes())
        .add(new SharingHandler(slots, ticker, WallClock.system()).routes())
        .add(new LoggersHandler(logLevels, ticker, WallClock.system()).routes())
        .route(
            RequestPredicates.all(),
            request -> ProblemAnswer.answering(HttpStatus.NOT_FOUND, "there is nothing here"))
        .build();
  }

  /** Answers with the latest actions of operators, the newest first; {@code ?limit=} of them. */
  private static Mono<ServerResponse> audit(ServerRequest request, AuditLog auditLog) {
    String limit = request.queryParam("limit").orElse(String.valueOf(MOST_ACTIONS));
    int most = limit.matches("[0-9]{1,5}") ? Integer.parseInt(limit) : 0;
    return most < 1 || most > AuditLog.MOST
        ? ProblemAnswer.answering(
            HttpStatus.BAD_REQUEST, "?limit= is no number from 1 to " + AuditLog.MOST)
        : OperatorJson.answer(auditLog.latest(most));
  }

  /** Answers with the OpenAPI description of a port. */
  private static Mono<ServerResponse> openApi(String name) {
    return ServerResponse.ok()
        .contentType(MediaType.APPLICATION_JSON)
        .bodyValue(new ClassPathResource(name, OperatorConfiguration.class));
  }
}
