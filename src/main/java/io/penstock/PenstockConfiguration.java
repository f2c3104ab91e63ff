package io.penstock;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.config.PriceTable;
import io.penstock.config.ProgramVersion;
import io.penstock.config.RouteWatcher;
import io.penstock.coordination.CoordinationService;
import io.penstock.cost.CostLearner;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointServices;
import io.penstock.endpoint.TicketDirectory;
import io.penstock.event.EventBus;
import io.penstock.gateway.GatewayConfiguration;
import io.penstock.gateway.GatewaySettings;
import io.penstock.gateway.body.BodySettings;
import io.penstock.gateway.coordination.CoordinationConfiguration;
import io.penstock.gateway.request.WebSocketSettings;
import io.penstock.key.KeyRegistry;
import io.penstock.metrics.BudgetMeters;
import io.penstock.metrics.BudgetNews;
import io.penstock.metrics.GatewayMeters;
import io.penstock.metrics.InputMeters;
import io.penstock.metrics.TraceExemplars;
import io.penstock.model.ModelContexts;
import io.penstock.model.ModelQuotas;
import io.penstock.operator.OperatorSettings;
import io.penstock.operator.SharingPeers;
import io.penstock.park.SchedulerAlarms;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.prefix.CacheLearner;
import io.penstock.prefix.FingerprintKeys;
import io.penstock.provider.ProviderCount;
import io.penstock.redis.KeysClaim;
import io.penstock.redis.SharedSecret;
import io.penstock.redis.SharingSettings;
import io.penstock.region.RegionSettings;
import io.penstock.settings.PenstockSettings;
import io.penstock.settings.RedisSettings;
import io.penstock.settings.SecretText;
import io.penstock.settings.StartSetup;
import io.penstock.shares.FreshCounts;
import io.penstock.shares.ShareSlots;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.SharingView;
import io.penstock.store.KeyStorage;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.tokenizer.TextTokenizers;
import io.penstock.trace.OtlpTracing;
import io.penstock.trace.RequestTracing;
import io.penstock.trace.TraceExamples;
import io.penstock.trace.TraceSettings;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.logging.logback.LogbackMetricsAutoConfiguration;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** Wires the packages of the gateway. */
@SpringBootConfiguration(proxyBeanMethods = false)
// Excluded: a mapper that nothing here uses, for which each start reads every class of the gateway;
// and a count of the log's lines, by a filter that runs on every check whether to log, many times
// for each request.
@EnableAutoConfiguration(
    exclude = {JacksonAutoConfiguration.class, LogbackMetricsAutoConfiguration.class})
@Import({GatewayConfiguration.class, CoordinationConfiguration.class})
class PenstockConfiguration {
  @Bean
  BodySettings bodySettings(PenstockSettings settings) {
    return settings.clients().bodies();
  }

  @Bean
  GatewaySettings gatewaySettings(PenstockSettings settings) {
    return new GatewaySettings(
        settings.limits().keys().demanded(),
        settings.running().log().access(),
        settings.clients().writeTimeout());
  }

  @Bean
  WebSocketSettings webSocketSettings(PenstockSettings settings) {
    PenstockSettings.Websockets all = settings.clients().websockets();
    return new WebSocketSettings(all.idleTimeout(), all.maxOpen(), all.tenantShare());
  }

  @Bean
  OperatorSettings operatorSettings(PenstockSettings settings) {
    return new OperatorSettings(
        SecretText.textOf(settings.running().operator().token()),
        settings.running().operator().tokens().entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(Map.Entry::getKey, token -> token.getValue().value())),
        settings.limits().quotas().reservationTimeout());
  }

  /** Names the program in {@code /actuator/info}, in the form of Spring Boot's own contributors. */
  @Bean
  InfoContributor programInfo() {
    ProgramVersion running = ProgramVersion.running();
    Map<String, Object> commit = new LinkedHashMap<>();
    if (running.commit() != null) {
      commit.put("id", running.commit());
    }
    if (running.commitTime() != null) {
      commit.put("time", running.commitTime());
    }
    return info ->
        info.withDetail("build", Map.of("version", running.version()))
            .withDetail("git", Map.of("commit", commit))
            .withDetail("java", Map.of("version", running.java()));
  }

  @Bean
  Ticker ticker() {
    return Ticker.system();
  }

  /**
   * Creates event loops for this gateway alone: loops of the whole process would end with the first
   * gateway that closes.
   */
  @Bean
  ReactorResourceFactory loops() {
    ReactorResourceFactory loops = new ReactorResourceFactory();
    loops.setUseGlobalResources(false);
    loops.setLoopResourcesSupplier(() -> LoopResources.create("penstock-http"));
    loops.setShutdownQuietPeriod(Duration.ZERO);
    return loops;
  }

  /** Listens from the beginning: instances may join before the operator port exists. */
  @Bean
  SharingPeers sharingPeers() {
    return new SharingPeers();
  }

  @Bean
  EventBus events(SharingPeers sharingPeers) {
    EventBus events = new EventBus();
    events.subscribe(new ShadowLog());
    events.subscribe(new SyncLog());
    events.subscribe(sharingPeers);
    return events;
  }

  @Bean
  LimitWiring limits(
      StartSetup setup,
      StateFile state,
      SnapshotSaver.Clocks clocks,
      EventBus events,
      ObjectProvider<KeysClaim> claim,
      ObjectProvider<SharedSecret> secret,
      ObjectProvider<RegionSettings> region) {
    LimitWiring limitWiring =
        LimitWiring.of(
            setup.sync(),
            clocks,
            events,
            claim.getIfAvailable(),
            secret.getIfAvailable(),
            region.getIfAvailable());
    long wall = clocks.wall().unixMillis();
    long now = clocks.ticker().nanos();
    limitWiring.local().inherit(clocks.toCells(state.before().spent(), wall, now), now);
    return limitWiring;
  }

  @Bean
  FingerprintKeys fingerprintKeys(PenstockSettings settings) {
    return new FingerprintKeys(SecretText.textOf(settings.stores().prefix().secret()));
  }

  /**
   * Creates the secret of the fleet, or returns null where it is set, or this instance is alone.
   */
  @Bean
  @Nullable SharedSecret prefixSecret(
      StartSetup setup, PenstockSettings settings, FingerprintKeys fingerprintKeys) {
    SharingSettings sync = setup.sync();
    return sync == null || settings.stores().prefix().secret() != null
        ? null
        : new SharedSecret(sync.namespace(), "prefix", fingerprintKeys::share);
  }

  @Bean
  FreshCounts freshCounts(LimitWiring limitWiring) {
    return limitWiring.freshCounts();
  }

  /** Keeps requests away from an instance that is given no shares of limits yet. */
  @Bean
  HealthIndicator sharingHealthIndicator(LimitWiring limitWiring) {
    return () ->
        limitWiring.isReady()
            ? Health.up().build()
            : Health.outOfService()
                .withDetail("why", "it is given no shares of limits yet")
                .build();
  }

  @Bean
  ShareSlots shareSlots(LimitWiring limitWiring) {
    return limitWiring.slots();
  }

  @Bean
  SharingView sharingView(LimitWiring limitWiring) {
    return limitWiring.view();
  }

  @Bean
  LimitSource limitSource(LimitWiring limitWiring) {
    return limitWiring.source();
  }

  @Bean
  SnapshotSaver.Clocks clocks(Ticker ticker) {
    return new SnapshotSaver.Clocks(ticker, WallClock.system());
  }

  @Bean
  UsageLedger ledger(StateFile state, PenstockSettings settings) {
    UsageLedger usageLedger =
        new UsageLedger(WallClock.system(), settings.stores().usage().rowsPerDay());
    usageLedger.restore(state.before().usage());
    return usageLedger;
  }

  /** Creates the saver, once everything is in place that it saves. */
  @Bean
  @DependsOn("assembly")
  SnapshotSaver saver(
      StateFile state,
      SnapshotSaver.Clocks clocks,
      LimitWiring limitWiring,
      UsageLedger usageLedger,
      ModelQuotas models) {
    SnapshotSaver snapshotSaver =
        new SnapshotSaver(state, clocks, limitWiring.local(), usageLedger, models::overrides);
    snapshotSaver.start();
    return snapshotSaver;
  }

  @Bean
  PriceTable prices() {
    return new PriceTable();
  }

  @Bean
  ModelContexts contexts() {
    return new ModelContexts();
  }

  @Bean
  UpstreamRegistry upstreams(LimitWiring limitWiring, StartSetup setup, PenstockSettings settings) {
    return new UpstreamRegistry(
        limitWiring.source(),
        setup.window().toNanos(),
        settings.limits().unlimitedTpm(),
        WallClock.system(),
        limitWiring.slots());
  }

  @Bean
  SchedulerAlarms alarms(Ticker ticker) {
    return new SchedulerAlarms(ticker);
  }

  @Bean
  EndpointRegistry registry(
      UpstreamRegistry upstreamRegistry,
      ModelQuotas models,
      KeyRegistry keyRegistry,
      LimitSource limits,
      Ticker ticker,
      SchedulerAlarms alarms,
      EventBus events,
      UsageLedger ledger,
      MeterRegistry meters) {
    EndpointRegistry endpointRegistry =
        new EndpointRegistry(
            new EndpointServices(
                upstreamRegistry,
                models,
                limits,
                ticker,
                alarms,
                events,
                new AtomicLong(),
                new TicketDirectory(),
                new BudgetNews(
                    events,
                    keyRegistry,
                    ticker,
                    new BudgetMeters(
                        meters, keyRegistry, ticker, new InputMeters(meters, ledger)))));
    models.whenChanged(endpointRegistry::termsChanged);
    keyRegistry.whenChanged(endpointRegistry::termsChanged);
    return endpointRegistry;
  }

  /** Creates the coordination service, or returns null where it is not enabled. */
  @Bean
  @Nullable CoordinationService coordination(
      PenstockSettings settings, Environment environment, Ticker ticker, MeterRegistry meters) {
    PenstockSettings.Coordination asked = settings.coordination();
    return asked.enabled()
        ? CoordinationWiring.open(
            asked.bounds(), RedisSettings.coordination(settings, environment), ticker, meters)
        : null;
  }

  @Bean
  ModelQuotas modelQuotas(LimitSource limits, StartSetup setup) {
    return new ModelQuotas(limits, setup.window().toNanos());
  }

  @Bean
  KeyRegistry keys(
      LimitWiring limitWiring,
      StartSetup setup,
      Ticker ticker,
      UsageLedger usageLedger,
      ObjectProvider<KeyStorage> storage) {
    KeyRegistry keyRegistry =
        new KeyRegistry(
            limitWiring.source(), setup.window().toNanos(), usageLedger, limitWiring::letsWait);
    limitWiring.shareKeys(keyRegistry::sharing);
    storage.ifAvailable(store -> store.follow(keyRegistry, ticker));
    return keyRegistry;
  }

  @Bean
  UpstreamAddresses addresses(Ticker ticker) {
    return new UpstreamAddresses(ticker);
  }

  @Bean
  CostLearner expectations() {
    return new CostLearner();
  }

  @Bean
  CacheLearner cacheLearner() {
    return new CacheLearner();
  }

  @Bean
  TextTokenizers tokenizers() {
    return new TextTokenizers();
  }

  @Bean
  ProviderCount providerCount(
      UpstreamAddresses upstreamAddresses,
      TextTokenizers textTokenizers,
      ReactorResourceFactory loops) {
    return new ProviderCount(
        upstreamAddresses::of,
        textTokenizers.scheduler(),
        loops.getLoopResources(),
        DialectTable.CREDENTIALS);
  }

  /** Creates the assembly, which applies the first configuration. */
  @Bean
  ConfigurationAssembly assembly(
      StartSetup setup,
      EndpointRegistry endpointRegistry,
      KeyRegistry keyRegistry,
      ModelQuotas models,
      LimitWiring limitWiring,
      UpstreamAddresses upstreamAddresses,
      PriceTable priceTable,
      ModelContexts contexts,
      StateFile state,
      EventBus events,
      Ticker ticker,
      PenstockSettings settings,
      Environment environment) {
    models.restore(state.before().overrides(), ticker.nanos());
    ConfigurationAssembly.Parts parts =
        new ConfigurationAssembly.Parts(
            limitWiring,
            endpointRegistry,
            keyRegistry,
            models,
            upstreamAddresses,
            priceTable,
            contexts);
    return new ConfigurationAssembly(setup, parts, events, ticker, settings, environment);
  }

  @Bean
  RouteWatcher routeWatcher(StartSetup setup, ConfigurationAssembly configurationAssembly)
      throws IOException {
    RouteWatcher watcher = new RouteWatcher(setup.routes(), setup.loaded(), configurationAssembly);
    watcher.start();
    return watcher;
  }

  /** Creates the meters, once the first configuration is in place. */
  @Bean
  @DependsOn("assembly")
  GatewayMeters penstockMeters(
      MeterRegistry meters,
      EndpointRegistry endpointRegistry,
      UpstreamRegistry upstreamRegistry,
      LimitWiring limitWiring,
      Ticker ticker,
      EventBus events,
      ObjectProvider<TraceExemplars> exemplars) {
    limitWiring.meter(meters);
    GatewayMeters listener =
        new GatewayMeters(
            meters, endpointRegistry, upstreamRegistry, ticker, exemplars.getIfAvailable());
    events.subscribe(listener);
    return listener;
  }

  /** Creates the tracing, or returns null where no collector is named. */
  @Bean
  @Nullable RequestTracing tracing(
      ObjectProvider<TraceSettings> settings,
      MeterRegistry meters,
      ObjectProvider<TraceExemplars> exemplars) {
    TraceSettings traces = settings.getIfAvailable();
    return traces == null ? null : new OtlpTracing(traces, meters, examples(exemplars.getObject()));
  }

  private static TraceExamples examples(TraceExemplars traceExemplars) {
    return new TraceExamples() {
      @Override
      public void begun(long ticket, String traceId, String spanId) {
        traceExemplars.begun(ticket, traceId, spanId);
      }

      @Override
      public void ended(long ticket) {
        traceExemplars.ended(ticket);
      }
    };
  }

  /** Creates the exemplars, or returns null where there are no traces. */
  @Bean
  @Nullable TraceExemplars exemplars(ObjectProvider<TraceSettings> settings) {
    return settings.getIfAvailable() == null ? null : new TraceExemplars();
  }

  @Bean
  WelcomeLog welcome(
      PenstockSettings settings,
      EndpointRegistry endpointRegistry,
      KeyRegistry keyRegistry,
      ServerProperties server,
      ObjectProvider<ManagementServerProperties> operatorServer) {
    return new WelcomeLog(
        settings, endpointRegistry, keyRegistry, server, operatorServer.getIfAvailable());
  }
}
