package io.penstock;

import io.penstock.config.Fault;
import io.penstock.config.Loaded;
import io.penstock.config.Reloader;
import io.penstock.config.Snapshot;
import io.penstock.endpoint.Registry;
import io.penstock.event.Event;
import io.penstock.event.Events;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Applies a configuration, at the start and at each reload alike: in one swap, or not at all. */
final class Assembly implements Reloader {
  private static final Logger LOG = LoggerFactory.getLogger(Assembly.class);

  private final Server.Setup setup;
  private final Registry registry;
  private final Addresses addresses;
  private final Events events;
  private final Ticker ticker;
  private final Environment environment;

  Assembly(
      Server.Setup setup,
      Registry registry,
      Addresses addresses,
      Events events,
      Ticker ticker,
      Environment environment) {
    this.setup = setup;
    this.registry = registry;
    this.addresses = addresses;
    this.events = events;
    this.ticker = ticker;
    this.environment = environment;
    apply(setup.snapshot());
  }

  private synchronized void apply(Snapshot snapshot) {
    addresses.prepare(snapshot);
    registry.apply(snapshot.endpoints());
    snapshot.warnings().forEach(LOG::warn);
  }

  @Override
  public synchronized Result reload() {
    return switch (setup.files().load(setup.routes())) {
      case Loaded.Bad bad -> refused(bad.faults());
      case Loaded.Good(Snapshot snapshot) -> {
        String open = OpenRelay.problem(environment, snapshot);
        yield open == null
            ? applied(snapshot)
            : refused(List.of(new Fault(setup.routes().toString(), 1, 1, open)));
      }
    };
  }

  private Result refused(List<Fault> faults) {
    faults.forEach(fault -> LOG.error("not reloaded: {}", fault));
    String first = faults.getFirst().toString();
    events.publish(new Event.Reloaded(ticker.nanos(), false, first));
    return new Result.Refused(faults);
  }

  private Result applied(Snapshot snapshot) {
    apply(snapshot);
    if (!Objects.equals(snapshot.server(), setup.snapshot().server())) {
      LOG.warn("server.host and server.port of route files are taken at the next start");
    }
    int endpoints = snapshot.endpoints().size();
    LOG.info("reloaded: {} endpoints", endpoints);
    events.publish(new Event.Reloaded(ticker.nanos(), true, endpoints + " endpoints"));
    return new Result.Applied(endpoints, snapshot.warnings());
  }
}
