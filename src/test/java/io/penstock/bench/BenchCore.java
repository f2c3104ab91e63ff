package io.penstock.bench;

import io.penstock.dispatch.AlarmSource;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.event.EventSink;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;

/**
 * The core with one permit endpoint, on a clock that only moves when told to. Belongs to one
 * thread.
 */
final class BenchCore implements StepAlarm {
  static final long SECOND = 1_000_000_000L;

  private static final String PATH = "/bench";
  private static final long MAX_WAIT_NANOS = 600 * SECOND;
  private static final long AGING_NANOS = 30 * SECOND;

  private final Queue<Runnable> soon = new ArrayDeque<>();
  private final Endpoint endpoint;
  private Runnable onAlarm = () -> {};
  private long alarm = Ticker.NEVER;
  private long now;

  BenchCore(EndpointSpec spec, EventSink eventSink) {
    LimitSource limits = new LocalLimitSource();
    this.endpoint = open(spec, limits, () -> now, limitAlgorithm -> this, eventSink);
  }

  /** Opens the only endpoint of a new registry. */
  static Endpoint open(
      EndpointSpec spec,
      LimitSource limits,
      Ticker ticker,
      AlarmSource drivers,
      EventSink eventSink) {
    UpstreamRegistry upstreamRegistry = UpstreamFixture.registry(limits, 60 * SECOND);
    EndpointRegistry endpointRegistry =
        new EndpointRegistry(
            EndpointFixture.services(
                upstreamRegistry,
                new ModelQuotas(limits, 60_000_000_000L),
                limits,
                ticker,
                drivers,
                eventSink));
    endpointRegistry.apply(List.of(spec));
    return Objects.requireNonNull(endpointRegistry.find(PATH));
  }

  /** Returns a permit endpoint with an unbounded queue. */
  static EndpointSpec permit(LimitSpec limit, QueueOrder order) {
    return EndpointSetup.of(PATH, limit)
        .scheduling(new Scheduling(order, AGING_NANOS, 64, new FairBy.Key()))
        .waiting(
            EndpointSetup.waiting(
                new QueueBounds(
                    QueueBounds.UNLIMITED, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED),
                0,
                0,
                false,
                MAX_WAIT_NANOS))
        .spec();
  }

  /** Returns an endpoint with an unbounded queue and one upstream, without a limit of its own. */
  static EndpointSpec forwarding(UpstreamSpec upstream) {
    EndpointSpec permit = permit(new LimitSpec.Unlimited(), QueueOrder.FIFO);
    return EndpointSetup.like(permit).to(upstream).spec();
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
  public void soon(Runnable step) {
    soon.add(step);
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    alarm = instantNanos;
    onAlarm = step;
  }
}
