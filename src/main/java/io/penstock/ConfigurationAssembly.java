package io.penstock;

import io.penstock.config.ConfigurationFault;
import io.penstock.config.ConfigurationReloader;
import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.LoadedConfiguration;
import io.penstock.config.PriceTable;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.key.KeyRegistry;
import io.penstock.model.ModelContexts;
import io.penstock.model.ModelLimits;
import io.penstock.model.ModelQuotas;
import io.penstock.settings.BrowserSettings;
import io.penstock.settings.OpenRelay;
import io.penstock.settings.PenstockSettings;
import io.penstock.settings.RedisSettings;
import io.penstock.settings.StartSetup;
import io.penstock.time.Ticker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Applies a configuration, at the start and at each reload alike: in one swap, or not at all. */
final class ConfigurationAssembly implements ConfigurationReloader {
  /** The parts that a configuration is applied to. */
  record Parts(
      LimitWiring limits,
      EndpointRegistry registry,
      KeyRegistry keys,
      ModelQuotas models,
      UpstreamAddresses addresses,
      PriceTable prices,
      ModelContexts contexts) {}

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.config");

  /**
   * Number of names that a warning shows; a store can have thousands of keys, and a few tell where
   * to look.
   */
  private static final int SHOWN = 5;

  private static final long LONGEST_SECONDS = 5;

  private final StartSetup setup;
  private final Parts parts;
  private final EventSink eventSink;
  private final Ticker ticker;
  private final PenstockSettings settings;
  private final Environment environment;
  private volatile List<ConfigurationFault> standingFaults = List.of();

  ConfigurationAssembly(
      StartSetup setup,
      Parts parts,
      EventSink eventSink,
      Ticker ticker,
      PenstockSettings settings,
      Environment environment) {
    this.setup = setup;
    this.parts = parts;
    this.eventSink = eventSink;
    this.ticker = ticker;
    this.settings = settings;
    this.environment = environment;
    apply(setup.snapshot());
  }

  private synchronized void apply(ConfigurationSnapshot configurationSnapshot) {
    long now = ticker.nanos();
    parts.limits().share(configurationSnapshot.sharing());
    parts.addresses().prepare(configurationSnapshot);
    parts.keys().configure(configurationSnapshot.keys(), configurationSnapshot.groups(), now);
    parts.models().configure(configurationSnapshot.providers(), limits(configurationSnapshot), now);
    parts.prices().configure(configurationSnapshot);
    parts.contexts().configure(contexts(configurationSnapshot));
    parts.registry().apply(configurationSnapshot.endpoints());
    configurationSnapshot.warnings().forEach(LOG::warn);
    RedisSettings.warnings(setup.sync(), settings.stores().state().file(), configurationSnapshot)
        .forEach(LOG::warn);
    settings.clients().bodies().warnings(configurationSnapshot.endpoints()).forEach(LOG::warn);
    BrowserSettings.warnings(settings, environment, configurationSnapshot).forEach(LOG::warn);
    List<String> strays = parts.keys().withoutTheirGroup();
    if (!strays.isEmpty()) {
      LOG.warn(
          "{} stored keys name a group that no route file has, and have no group's limits: {}",
          strays.size(),
          strays.stream().limit(SHOWN).collect(Collectors.joining(", ")));
    }
  }

  private static Map<String, ModelLimits> limits(ConfigurationSnapshot configurationSnapshot) {
    Map<String, ModelLimits> limits = new HashMap<>();
    configurationSnapshot
        .models()
        .forEach(
            (name, model) -> {
              if (model.limits() != null) {
                limits.put(name, model.limits());
              }
            });
    return limits;
  }

  private static Map<String, Long> contexts(ConfigurationSnapshot configurationSnapshot) {
    Map<String, Long> contexts = new HashMap<>();
    configurationSnapshot
        .models()
        .forEach(
            (name, model) -> {
              if (model.contextTokens() != null) {
                contexts.put(name, model.contextTokens());
              }
            });
    return contexts;
  }

  @Override
  public synchronized Result reload() {
    return switch (setup.files().load(setup.routes())) {
      case LoadedConfiguration.Bad bad -> refused(bad.faults());
      case LoadedConfiguration.Good(ConfigurationSnapshot configurationSnapshot) -> {
        String open = problem(configurationSnapshot);
        yield open == null
            ? applied(configurationSnapshot)
            : refused(List.of(new ConfigurationFault(setup.routes().toString(), 1, 1, open)));
      }
    };
  }

  private @Nullable String problem(ConfigurationSnapshot configurationSnapshot) {
    String open = OpenRelay.problem(settings, environment, configurationSnapshot);
    return open == null ? RedisSettings.problem(setup, configurationSnapshot) : open;
  }

  @Override
  public List<ConfigurationFault> standingFaults() {
    return standingFaults;
  }

  private Result refused(List<ConfigurationFault> faults) {
    standingFaults = List.copyOf(faults);
    faults.forEach(fault -> LOG.error("not reloaded: {}", fault));
    String first = faults.getFirst().toString();
    eventSink.publish(new Event.Reloaded(ticker.nanos(), false, first));
    return new Result.Refused(faults);
  }

  private Result applied(ConfigurationSnapshot configurationSnapshot) {
    apply(configurationSnapshot);
    standingFaults = List.of();
    awaitEndpoints();
    if (!Objects.equals(configurationSnapshot.server(), setup.snapshot().server())) {
      LOG.warn("server.host and server.port of route files are taken at the next start");
    }
    int endpoints = configurationSnapshot.endpoints().size();
    String counted = endpoints + (endpoints == 1 ? " endpoint" : " endpoints");
    LOG.info("reloaded: {}", counted);
    eventSink.publish(new Event.Reloaded(ticker.nanos(), true, counted));
    return new Result.Applied(endpoints, configurationSnapshot.warnings());
  }

  /** Waits until requests that come from now on meet the new configuration. */
  private void awaitEndpoints() {
    try {
      parts.registry().whenCaughtUp().toCompletableFuture().get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "reloaded, but after {} s some endpoints are still busy with what came before; until"
              + " they are done, requests meet their former configuration",
          LONGEST_SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
