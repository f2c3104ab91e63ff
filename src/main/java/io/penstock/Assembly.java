package io.penstock;

import io.penstock.config.Fault;
import io.penstock.config.Loaded;
import io.penstock.config.Prices;
import io.penstock.config.Reloader;
import io.penstock.config.Snapshot;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.gateway.body.BodySettings;
import io.penstock.key.KeyRegistry;
import io.penstock.model.ModelLimits;
import io.penstock.model.ModelQuotas;
import io.penstock.time.Ticker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Applies a configuration, at the start and at each reload alike: in one swap, or not at all. */
final class Assembly implements Reloader {
  /** The parts that a configuration is applied to. */
  record Parts(
      Limits limits,
      EndpointRegistry registry,
      KeyRegistry keys,
      ModelQuotas models,
      Addresses addresses,
      Prices prices) {}

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.config");

  /**
   * Number of names that a warning shows; a store can have thousands of keys, and a few tell where
   * to look.
   */
  private static final int SHOWN = 5;

  private final Server.Setup setup;
  private final Parts parts;
  private final EventSink eventSink;
  private final Ticker ticker;
  private final Environment environment;

  Assembly(
      Server.Setup setup,
      Parts parts,
      EventSink eventSink,
      Ticker ticker,
      Environment environment) {
    this.setup = setup;
    this.parts = parts;
    this.eventSink = eventSink;
    this.ticker = ticker;
    this.environment = environment;
    apply(setup.snapshot());
  }

  private synchronized void apply(Snapshot snapshot) {
    long now = ticker.nanos();
    parts.limits().share(snapshot.sharing());
    parts.addresses().prepare(snapshot);
    parts.keys().configure(snapshot.keys(), snapshot.groups(), now);
    parts.models().configure(snapshot.providers(), limits(snapshot), now);
    parts.prices().configure(snapshot);
    parts.registry().apply(snapshot.endpoints());
    snapshot.warnings().forEach(LOG::warn);
    RedisSettings.warnings(setup.sync(), environment, snapshot).forEach(LOG::warn);
    BodySettings.of(environment).warnings(snapshot.endpoints()).forEach(LOG::warn);
    BrowserSettings.warnings(environment, snapshot).forEach(LOG::warn);
    List<String> strays = parts.keys().withoutTheirGroup();
    if (!strays.isEmpty()) {
      LOG.warn(
          "{} stored keys name a group that no route file has, and have no group's limits: {}",
          strays.size(),
          strays.stream().limit(SHOWN).collect(Collectors.joining(", ")));
    }
  }

  private static Map<String, ModelLimits> limits(Snapshot snapshot) {
    Map<String, ModelLimits> limits = new HashMap<>();
    snapshot
        .models()
        .forEach(
            (name, model) -> {
              if (model.limits() != null) {
                limits.put(name, model.limits());
              }
            });
    return limits;
  }

  @Override
  public synchronized Result reload() {
    return switch (setup.files().load(setup.routes())) {
      case Loaded.Bad bad -> refused(bad.faults());
      case Loaded.Good(Snapshot snapshot) -> {
        String open = problem(snapshot);
        yield open == null
            ? applied(snapshot)
            : refused(List.of(new Fault(setup.routes().toString(), 1, 1, open)));
      }
    };
  }

  private @Nullable String problem(Snapshot snapshot) {
    String open = OpenRelay.problem(environment, snapshot);
    return open == null ? RedisSettings.problem(setup, snapshot) : open;
  }

  private Result refused(List<Fault> faults) {
    faults.forEach(fault -> LOG.error("not reloaded: {}", fault));
    String first = faults.getFirst().toString();
    eventSink.publish(new Event.Reloaded(ticker.nanos(), false, first));
    return new Result.Refused(faults);
  }

  private Result applied(Snapshot snapshot) {
    apply(snapshot);
    if (!Objects.equals(snapshot.server(), setup.snapshot().server())) {
      LOG.warn("server.host and server.port of route files are taken at the next start");
    }
    int endpoints = snapshot.endpoints().size();
    LOG.info("reloaded: {} endpoints", endpoints);
    eventSink.publish(new Event.Reloaded(ticker.nanos(), true, endpoints + " endpoints"));
    return new Result.Applied(endpoints, snapshot.warnings());
  }
}
