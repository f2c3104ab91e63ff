package io.penstock.endpoint;

import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Endpoints on a fake clock; alarms ring when time passes them. */
public final class EndpointWorld {
  public static final long SECOND = 1_000_000_000L;
  static final long WINDOW = 60 * SECOND;

  public final EndpointRegistry registry;
  private final Deque<Runnable> soon = new ArrayDeque<>();
  private final List<Alarm> alarms = new ArrayList<>();
  private long now;

  private static final class Alarm {
    long instant = Ticker.NEVER;
    Runnable step = () -> {};
  }

  public EndpointWorld() {
    LocalLimitSource limits = new LocalLimitSource();
    registry =
        new EndpointRegistry(
            EndpointFixture.services(
                UpstreamFixture.registry(limits, WINDOW),
                new ModelQuotas(limits, WINDOW),
                limits,
                () -> now,
                this::driver,
                event -> {}));
  }

  private StepAlarm driver(LimitAlgorithm algorithm) {
    Alarm alarm = new Alarm();
    alarms.add(alarm);
    return new StepAlarm() {
      @Override
      public void soon(Runnable step) {
        soon.add(step);
      }

      @Override
      public void at(long instantNanos, Runnable step) {
        alarm.instant = instantNanos;
        alarm.step = step;
      }
    };
  }

  public long now() {
    return now;
  }

  /** Runs everything up to an instant, alarms at their time. */
  public void until(long instant) {
    run();
    Alarm first = first();
    while (first.instant <= instant) {
      now = Math.max(now, first.instant);
      first.instant = Ticker.NEVER;
      first.step.run();
      run();
      first = first();
    }
    now = instant;
  }

  private Alarm first() {
    Alarm first = new Alarm();
    for (Alarm each : alarms) {
      first = each.instant < first.instant ? each : first;
    }
    return first;
  }

  public void run() {
    while (!soon.isEmpty()) {
      soon.remove().run();
    }
  }

  /** Returns an endpoint without a limit of its own. */
  public static EndpointSpec endpoint(String path, int maxSkips, UpstreamSpec... upstreams) {
    return endpoint(path, new LimitSpec.Unlimited(), maxSkips, upstreams);
  }

  public static EndpointSpec endpoint(
      String path, LimitSpec limit, int maxSkips, UpstreamSpec... upstreams) {
    return EndpointSetup.of(path, limit)
        .maxSkips(maxSkips)
        .bounds(1_000, QueueBounds.UNLIMITED, 1 << 20)
        .to(upstreams)
        .spec();
  }

  /**
   * Returns an upstream with a limit of tokens a window; a burst may take the tokens of {@code
   * burstSeconds}.
   */
  public static UpstreamSpec upstream(String id, long tokens, double burstSeconds) {
    return UpstreamSetup.of(id)
        .url("mock://" + id)
        .limits(0, tokens, 0, 0)
        .burstSeconds(burstSeconds)
        .spec();
  }
}
