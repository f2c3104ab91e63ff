package io.penstock.endpoint;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.EventBus;
import io.penstock.event.Events;
import io.penstock.fake.FakeDrivers;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.RecordedEvents;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Bounds;
import io.penstock.quota.LimitSource;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.ModelQuotas;
import io.penstock.refusal.Refusal;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A registry on a fake clock, with helpers of the tests. */
final class House {
  /** A queue for a thousand tickets that wait as long as they like. */
  static final Waiting OPEN =
      Waiting.of(new Bounds(1_000, Bounds.UNLIMITED, Bounds.UNLIMITED), 0, 0);

  static final long SECOND = 1_000_000_000L;
  static final long START = 1_000 * SECOND;

  final FakeTicker ticker = new FakeTicker();
  final FakeDrivers drivers = new FakeDrivers(ticker);
  final RecordedEvents recorded = new RecordedEvents();
  final EventBus events = new EventBus();
  final Upstreams upstreams;
  final ModelQuotas models;
  final Registry registry;
  final Roll roll = new Roll();

  House() {
    this(new LocalLimitSource());
  }

  House(LimitSource limits) {
    this(limits, new LocalLimitSource());
  }

  House(LimitSource limits, LimitSource ofUpstreams) {
    ticker.set(START);
    upstreams = new Upstreams(ofUpstreams, 60 * SECOND);
    events.subscribe(recorded);
    Events all = events;
    models = new ModelQuotas(limits, 60 * SECOND);
    registry =
        new Registry(
            new Endpoint.House(
                upstreams, models, limits, ticker, drivers, all, new AtomicLong(), roll));
    models.whenChanged(registry::termsChanged);
  }

  /** The settings of an endpoint that tests vary. */
  record Setup(
      String path,
      Algorithm algorithm,
      LimitSpec limit,
      Bounds bounds,
      long queueTimeoutNanos,
      long maxWaitNanos,
      int maxSkips,
      List<UpstreamSpec> upstreams) {

    Setup bounds(long tickets, long tokens, long bytes) {
      return new Setup(
          path,
          algorithm,
          limit,
          new Bounds(tickets, tokens, bytes),
          queueTimeoutNanos,
          maxWaitNanos,
          maxSkips,
          upstreams);
    }

    Setup queueTimeout(long nanos) {
      return new Setup(path, algorithm, limit, bounds, nanos, maxWaitNanos, maxSkips, upstreams);
    }

    Setup maxWait(long nanos) {
      return new Setup(
          path, algorithm, limit, bounds, queueTimeoutNanos, nanos, maxSkips, upstreams);
    }

    Setup maxSkips(int skips) {
      return new Setup(
          path, algorithm, limit, bounds, queueTimeoutNanos, maxWaitNanos, skips, upstreams);
    }

    Setup to(UpstreamSpec... specs) {
      return new Setup(
          path,
          algorithm,
          limit,
          bounds,
          queueTimeoutNanos,
          maxWaitNanos,
          maxSkips,
          List.of(specs));
    }

    /** Returns the same settings with another order and other bounds of waiting. */
    EndpointSpec spec(Scheduling scheduling, Waiting waiting) {
      EndpointSpec base = spec();
      return new EndpointSpec(
          path,
          path,
          algorithm,
          limit,
          scheduling,
          waiting,
          base.reading(),
          base.descendants(),
          false,
          true,
          upstreams,
          base.shown());
    }

    EndpointSpec spec() {
      return new EndpointSpec(
          path,
          path,
          algorithm,
          limit,
          EndpointSpec.Scheduling.fifo(maxSkips),
          EndpointSpec.Waiting.of(bounds, queueTimeoutNanos, maxWaitNanos),
          new EndpointSpec.Reading(Dialect.NONE, CostFrom.QUERY, 1, 256, 1 << 20),
          EndpointSpec.Descendants.SERVED,
          false,
          true,
          upstreams,
          Map.of());
    }
  }

  private static Setup setup(String path, Algorithm algorithm, LimitSpec limit) {
    Bounds bounds = new Bounds(1_000, Bounds.UNLIMITED, Bounds.UNLIMITED);
    return new Setup(path, algorithm, limit, bounds, 0, 0, 64, List.of());
  }

  static Setup none(String path) {
    return setup(path, Algorithm.NONE, new LimitSpec.Unlimited());
  }

  static Setup strict(String path, long releases, long seconds) {
    return setup(path, Algorithm.STRICT, new LimitSpec.Strict(new Rate(releases, seconds)));
  }

  static Setup tokens(String path, long capacity, long seconds) {
    return setup(
        path, Algorithm.TOKEN_WINDOW, new LimitSpec.FixedWindow(capacity, seconds * SECOND));
  }

  static UpstreamSpec upstream(String id, long rpm, long tpm) {
    return upstream(id, rpm, tpm, Charge.TOTAL, Map.of(), null);
  }

  static UpstreamSpec upstream(
      String id,
      long rpm,
      long tpm,
      Charge charge,
      Map<String, String> models,
      @Nullable String disabled) {
    return new UpstreamSpec(
        id,
        URI.create("http://localhost"),
        null,
        disabled,
        Map.of(),
        models,
        1,
        new UpstreamSpec.Limits(rpm, tpm, 0, 0),
        charge,
        0,
        60, // a minute's worth may go at once: most tests are not about the pace
        new UpstreamSpec.Timeouts(SECOND, SECOND, SECOND));
  }

  Endpoint open(Setup setup) {
    apply(setup);
    return endpoint(setup.path());
  }

  Endpoint open(Setup setup, EndpointSpec.Forwarding forwarding) {
    EndpointSpec spec = setup.spec();
    registry.apply(
        List.of(
            new EndpointSpec(
                spec.path(),
                spec.configuredPath(),
                spec.algorithm(),
                spec.limit(),
                spec.scheduling(),
                spec.waiting(),
                spec.reading(),
                spec.descendants(),
                spec.shadow(),
                forwarding,
                spec.upstreams(),
                spec.shown(),
                spec.stated())));
    drivers.run();
    return endpoint(setup.path());
  }

  Endpoint openShadow(Setup setup) {
    EndpointSpec spec = setup.spec();
    registry.apply(
        List.of(
            new EndpointSpec(
                spec.path(),
                spec.configuredPath(),
                spec.algorithm(),
                spec.limit(),
                spec.scheduling(),
                spec.waiting(),
                spec.reading(),
                spec.descendants(),
                true,
                true,
                spec.upstreams(),
                spec.shown())));
    drivers.run();
    return endpoint(setup.path());
  }

  Endpoint open(Setup setup, Scheduling scheduling, Waiting waiting) {
    registry.apply(List.of(setup.spec(scheduling, waiting)));
    drivers.run();
    return endpoint(setup.path());
  }

  void apply(Setup... setups) {
    registry.apply(List.of(setups).stream().map(Setup::spec).toList());
    drivers.run();
  }

  Endpoint endpoint(String path) {
    Endpoint endpoint = registry.find(path);
    if (endpoint == null) {
      throw new AssertionError("no endpoint at " + path);
    }
    return endpoint;
  }

  static Pending submit(Endpoint endpoint, long tokens) {
    return endpoint.submit(Ask.of(null, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  /** Moves the clock to that long after the start; alarms ring at their instants. */
  void at(long afterStartNanos) {
    drivers.advanceTo(START + afterStartNanos);
  }

  static boolean went(Pending pending) {
    return pending.outcome() instanceof Outcome.Granted;
  }

  static boolean waits(Pending pending) {
    return pending.outcome() == null;
  }

  static Settlement settlement(Pending pending) {
    if (pending.outcome() instanceof Outcome.Granted(Settlement settlement)) {
      return settlement;
    }
    throw new AssertionError("ticket " + pending.order() + " was not granted");
  }

  static Refusal refusal(Pending pending) {
    if (pending.outcome() instanceof Outcome.Refused(Refusal refusal)) {
      return refusal;
    }
    throw new AssertionError("ticket " + pending.order() + " was not refused");
  }

  /** Asserts that all offered requests, tokens and bytes are accounted for. */
  static void assertBalanced(Endpoint endpoint) {
    Totals totals = endpoint.totals();
    long requests = 0;
    long tokens = 0;
    long bytes = 0;
    for (Fate fate : Fate.values()) {
      if (totals.requests(fate) < 0 || totals.tokens(fate) < 0 || totals.bytes(fate) < 0) {
        throw new AssertionError(fate + " is below zero");
      }
      if (fate != Fate.OFFERED) {
        requests += totals.requests(fate);
        tokens += totals.tokens(fate);
        bytes += totals.bytes(fate);
      }
    }
    if (requests != totals.requests(Fate.OFFERED)
        || tokens != totals.tokens(Fate.OFFERED)
        || bytes != totals.bytes(Fate.OFFERED)) {
      throw new AssertionError(
          "offered is not the sum of the rest: " + requests + ", " + tokens + ", " + bytes);
    }
  }
}
