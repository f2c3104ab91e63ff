package io.penstock;

import io.penstock.config.Loaded;
import io.penstock.config.Reloader;
import io.penstock.config.Snapshot;
import io.penstock.endpoint.Registry;
import io.penstock.event.Event;
import io.penstock.event.Events;
import io.penstock.time.Ticker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies a configuration, at the start and at each reload alike: in one swap, or not at all. */
final class Assembly implements Reloader {
  private static final Logger LOG = LoggerFactory.getLogger(Assembly.class);

  private final Server.Setup setup;
  private final Registry registry;
  private final Addresses addresses;
  private final Events events;
  private final Ticker ticker;

  Assembly(
      Server.Setup setup, Registry registry, Addresses addresses, Events events, Ticker ticker) {
    this.setup = setup;
    this.registry = registry;
    this.addresses = addresses;
    this.events = events;
    this.ticker = ticker;
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
      case Loaded.Bad bad -> {
        bad.faults().forEach(fault -> LOG.error("not reloaded: {}", fault));
        String first = bad.faults().getFirst().toString();
        events.publish(new Event.Reloaded(ticker.nanos(), false, first));
        yield new Result.Refused(bad.faults());
      }
      case Loaded.Good(Snapshot snapshot) -> {
        apply(snapshot);
        int endpoints = snapshot.endpoints().size();
        LOG.info("reloaded: {} endpoints", endpoints);
        events.publish(new Event.Reloaded(ticker.nanos(), true, endpoints + " endpoints"));
        yield new Result.Applied(endpoints, snapshot.warnings());
      }
    };
  }
}
