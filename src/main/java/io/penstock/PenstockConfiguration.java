package io.penstock;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.config.Prices;
import io.penstock.config.RouteWatcher;
import io.penstock.coordination.CoordinationService;
import io.penstock.cost.CostLearner;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.EventBus;
import io.penstock.gateway.GatewayConfiguration;
import io.penstock.gateway.coordination.CoordinationConfiguration;
import io.penstock.key.KeyRegistry;
import io.penstock.metrics.Exemplars;
import io.penstock.metrics.Meters;
import io.penstock.model.ModelQuotas;
import io.penstock.park.SchedulerDrivers;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.provider.ProviderCount;
import io.penstock.redis.KeysClaim;
import io.penstock.region.RegionSettings;
import io.penstock.sharing.DenialRecheck;
import io.penstock.sharing.LimitSource;
import io.penstock.store.KeyStorage;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.tokenizer.Tokenizers;
import io.penstock.trace.Examples;
import io.penstock.trace.OtlpTracing;
import io.penstock.trace.TraceSettings;
import io.penstock.trace.Tracing;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.logging.logback.LogbackMetricsAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** Wires the packages of the gateway. */
@SpringBootConfiguration(proxyBeanMethods = false)
// The excluded configuration counts lines of the log with a filter that runs on every check whether
// to log, many times for each request.
@EnableAutoConfiguration(exclude = LogbackMetricsAutoConfiguration.class)
@Import({GatewayConfiguration.class, CoordinationConfiguration.class})
class PenstockConfiguration {
  /** Rows of the usage statistics for each day, by default. */
  private static final int ROWS = 2_000;

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

  @Bean
  EventBus events() {
    EventBus events = new EventBus();
    events.subscribe(new ShadowLog());
    events.subscribe(new SyncLog());
    return events;
  }

  @Bean
  Limits limits(
      Server.Setup setup,
      StateFile state,
      Saver.Clocks clocks,
      EventBus events,
      ObjectProvider<KeysClaim> claim,
      ObjectProvider<RegionSettings> region) {
    Limits limits =
        Limits.of(setup.sync(), clocks, events, claim.getIfAvailable(), region.getIfAvailable());
    long wall = clocks.wall().unixMillis();
    long now = clocks.ticker().nanos();
    limits.local().inherit(clocks.toCells(state.before().spent(), wall, now), now);
    return limits;
  }

  @Bean
  DenialRecheck afterDenial(Limits limits) {
    return limits.afterDenial();
  }

  @Bean
  LimitSource limitSource(Limits limits) {
    return limits.source();
  }

  @Bean
  Saver.Clocks clocks(Ticker ticker) {
    return new Saver.Clocks(ticker, WallClock.system());
  }

  @Bean
  UsageLedger ledger(StateFile state, Environment environment) {
    int rows = environment.getProperty("penstock.usage.rows-per-day", Integer.class, ROWS);
    UsageLedger usageLedger = new UsageLedger(WallClock.system(), rows);
    usageLedger.restore(state.before().usage());
    return usageLedger;
  }

  /** Creates the saver, once everything is in place that it saves. */
  @Bean
  @DependsOn("assembly")
  Saver saver(
      StateFile state,
      Saver.Clocks clocks,
      Limits limits,
      UsageLedger usageLedger,
      ModelQuotas models) {
    Saver saver = new Saver(state, clocks, limits.local(), usageLedger, models::overrides);
    saver.start();
    return saver;
  }

  @Bean
  Prices prices() {
    return new Prices();
  }

  @Bean
  UpstreamRegistry upstreams(Limits limits, Server.Setup setup, Environment environment) {
    long unlimited =
        environment.getProperty(
            "penstock.mock-endpoint-tpm-threshold", Long.class, UpstreamRegistry.UNLIMITED_TPM);
    return new UpstreamRegistry(
        limits.source(), setup.window().toNanos(), unlimited, WallClock.system(), limits.others());
  }

  @Bean
  SchedulerDrivers drivers(Ticker ticker) {
    return new SchedulerDrivers(ticker);
  }

  @Bean
  EndpointRegistry registry(
      UpstreamRegistry upstreamRegistry,
      ModelQuotas models,
      KeyRegistry keyRegistry,
      LimitSource limits,
      Ticker ticker,
      SchedulerDrivers drivers,
      EventBus events) {
    EndpointRegistry endpointRegistry =
        new EndpointRegistry(
            new Endpoint.House(
                upstreamRegistry, models, limits, ticker, drivers, events, new AtomicLong()));
    models.whenChanged(endpointRegistry::termsChanged);
    keyRegistry.whenChanged(endpointRegistry::termsChanged);
    return endpointRegistry;
  }

  /** Creates the coordination service, or returns null where it is not enabled. */
  @Bean
  @Nullable CoordinationService coordination(
      ObjectProvider<CoordinationSettings> settings,
      Server.Setup setup,
      Ticker ticker,
      MeterRegistry meters) {
    CoordinationSettings asked = settings.getIfAvailable();
    return asked == null ? null : asked.open(setup.sync(), ticker, meters);
  }

  @Bean
  ModelQuotas modelQuotas(LimitSource limits, Server.Setup setup) {
    return new ModelQuotas(limits, setup.window().toNanos());
  }

  @Bean
  KeyRegistry keys(
      Limits limits, Server.Setup setup, Ticker ticker, ObjectProvider<KeyStorage> storage) {
    KeyRegistry keyRegistry = new KeyRegistry(limits.source(), setup.window().toNanos());
    limits.shareKeys(keyRegistry::sharing);
    storage.ifAvailable(store -> store.follow(keyRegistry, ticker));
    return keyRegistry;
  }

  @Bean
  Addresses addresses(Ticker ticker) {
    return new Addresses(ticker);
  }

  @Bean
  CostLearner expectations() {
    return new CostLearner();
  }

  @Bean
  Tokenizers tokenizers() {
    return new Tokenizers();
  }

  @Bean
  ProviderCount providerCount(
      Addresses addresses, Tokenizers tokenizers, ReactorResourceFactory loops) {
    return new ProviderCount(addresses::of, tokenizers.scheduler(), loops.getLoopResources());
  }

  /** Creates the assembly, which applies the first configuration. */
  @Bean
  Assembly assembly(
      Server.Setup setup,
      EndpointRegistry endpointRegistry,
      KeyRegistry keyRegistry,
      ModelQuotas models,
      Limits limits,
      Addresses addresses,
      Prices prices,
      StateFile state,
      EventBus events,
      Ticker ticker,
      Environment environment) {
    models.restore(state.before().overrides(), ticker.nanos());
    Assembly.Parts parts =
        new Assembly.Parts(limits, endpointRegistry, keyRegistry, models, addresses, prices);
    return new Assembly(setup, parts, events, ticker, environment);
  }

  @Bean
  RouteWatcher routeWatcher(Server.Setup setup, Assembly assembly) throws IOException {
    RouteWatcher watcher = new RouteWatcher(setup.routes(), assembly);
    watcher.start();
    return watcher;
  }

  /** Creates the meters, once the first configuration is in place. */
  @Bean
  @DependsOn("assembly")
  Meters penstockMeters(
      MeterRegistry meters,
      EndpointRegistry endpointRegistry,
      UpstreamRegistry upstreamRegistry,
      Limits limits,
      Ticker ticker,
      EventBus events,
      ObjectProvider<Exemplars> exemplars) {
    limits.meter(meters);
    Meters listener =
        new Meters(meters, endpointRegistry, upstreamRegistry, ticker, exemplars.getIfAvailable());
    events.subscribe(listener);
    return listener;
  }

  /** Creates the tracing, or returns null where no collector is named. */
  @Bean
  @Nullable Tracing tracing(
      ObjectProvider<TraceSettings> settings,
      MeterRegistry meters,
      ObjectProvider<Exemplars> exemplars) {
    TraceSettings traces = settings.getIfAvailable();
    return traces == null ? null : new OtlpTracing(traces, meters, examples(exemplars.getObject()));
  }

  private static Examples examples(Exemplars exemplars) {
    return new Examples() {
      @Override
      public void begun(long ticket, String traceId, String spanId) {
        exemplars.begun(ticket, traceId, spanId);
      }

      @Override
      public void ended(long ticket) {
        exemplars.ended(ticket);
      }
    };
  }

  /** Creates the exemplars, or returns null where there are no traces. */
  @Bean
  @Nullable Exemplars exemplars(ObjectProvider<TraceSettings> settings) {
    return settings.getIfAvailable() == null ? null : new Exemplars();
  }

  @Bean
  Welcome welcome(EndpointRegistry endpointRegistry, KeyRegistry keyRegistry) {
    return new Welcome(endpointRegistry, keyRegistry);
  }
}
