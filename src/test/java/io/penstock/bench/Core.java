package io.penstock.bench;

import io.penstock.cost.Dialect;
import io.penstock.endpoint.Algorithm;
import io.penstock.endpoint.CostFrom;
import io.penstock.endpoint.Driver;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.Registry;
import io.penstock.event.Events;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import io.penstock.quota.LimitSource;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.ModelQuotas;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The core with one permit endpoint, on a clock that only moves when told to. Belongs to one
 * thread.
 */
final class Core implements Driver {
  static final long SECOND = 1_000_000_000L;

  private static final String PATH = "/bench";
  private static final long MAX_WAIT_NANOS = 600 * SECOND;
  private static final long AGING_NANOS = 30 * SECOND;

  private final Queue<Runnable> soon = new ArrayDeque<>();
  private final Endpoint endpoint;
  private Runnable onAlarm = () -> {};
  private long alarm = Ticker.NEVER;
  private long now;

  Core(EndpointSpec spec, Events events) {
    LimitSource limits = new LocalLimitSource();
    this.endpoint = open(spec, limits, () -> now, algorithm -> this, events);
  }

  /** Opens the only endpoint of a new registry. */
  static Endpoint open(
      EndpointSpec spec, LimitSource limits, Ticker ticker, Driver.Source drivers, Events events) {
    Upstreams upstreams = new Upstreams(limits, 60 * SECOND);
    Registry registry =
        new Registry(
            new Endpoint.House(
                upstreams,
                new ModelQuotas(limits, 60_000_000_000L),
                limits,
                ticker,
                drivers,
                events,
                new AtomicLong()));
    registry.apply(List.of(spec));
    return Objects.requireNonNull(registry.find(PATH));
  }

  /** Returns a permit endpoint with an unbounded queue. */
  static EndpointSpec permit(Algorithm algorithm, LimitSpec limit, Order order) {
    return new EndpointSpec(
        PATH,
        PATH,
        algorithm,
        limit,
        new Scheduling(order, AGING_NANOS, 64, new FairBy.Key()),
        EndpointSpec.Waiting.of(
            new Bounds(Bounds.UNLIMITED, Bounds.UNLIMITED, Bounds.UNLIMITED), 0, MAX_WAIT_NANOS),
        new EndpointSpec.Reading(Dialect.NONE, CostFrom.QUERY, 1, 256, 1 << 20),
        EndpointSpec.Descendants.SERVED,
        false,
        true,
        List.of(),
        Map.of());
  }

  /** Returns an endpoint with an unbounded queue and one upstream, without a limit of its own. */
  static EndpointSpec forwarding(UpstreamSpec upstream) {
    EndpointSpec permit = permit(Algorithm.NONE, new LimitSpec.Unlimited(), Order.FIFO);
    return new EndpointSpec(
        PATH,
        PATH,
        permit.algorithm(),
        permit.limit(),
        permit.scheduling(),
        permit.waiting(),
        permit.reading(),
        permit.descendants(),
        false,
        true,
        List.of(upstream),
        Map.of());
  }

  Endpoint endpoint() {
    return endpoint;
  }

  long now() {
    return now;
  }

  /** Returns the instant of the endpoint's alarm. */
  long alarm() {
    return alarm;
  }

  /** Moves the clock to the next alarm and runs it. */
  void next() {
    run();
    if (alarm == Ticker.NEVER) {
      throw new IllegalStateException("nothing will ever happen");
    }
    until(alarm);
  }

  /** Moves the clock, running each alarm on the way. */
  void until(long instant) {
    run();
    while (alarm <= instant) {
      now = Math.max(now, alarm);
      alarm = Ticker.NEVER;
      onAlarm.run();
      run();
    }
    now = Math.max(now, instant);
  }

  /** Runs all requested steps. */
  void run() {
    for (Runnable step = soon.poll(); step != null; step = soon.poll()) {
      step.run();
    }
  }

  @Override
  public void execute(Runnable step) {
    soon.add(step);
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    alarm = instantNanos;
    onAlarm = step;
  }
}
