package io.penstock.park;

import io.penstock.endpoint.Algorithm;
import io.penstock.endpoint.Driver;
import io.penstock.time.Ticker;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Drives endpoints on one named scheduler an algorithm, each a single thread, such as {@code
 * penstock-token-window}. Wake-ups are timers at computed instants; between them nothing runs.
 */
public final class SchedulerDrivers implements Driver.Source, AutoCloseable {
  private final Ticker ticker;
  private final Map<Algorithm, Scheduler> schedulers = new EnumMap<>(Algorithm.class);

  /** Makes drivers whose instants are of {@code ticker}. */
  public SchedulerDrivers(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public synchronized Driver driver(Algorithm algorithm) {
    Scheduler scheduler =
        schedulers.computeIfAbsent(
            algorithm, each -> Schedulers.newSingle(each.schedulerName(), true));
    return new OneEndpoint(scheduler, ticker);
  }

  @Override
  public synchronized void close() {
    schedulers.values().forEach(Scheduler::dispose);
    schedulers.clear();
  }

  private static final class OneEndpoint implements Driver {
    private final Scheduler scheduler;
    private final Ticker ticker;
    private @Nullable Disposable alarm;

    OneEndpoint(Scheduler scheduler, Ticker ticker) {
      this.scheduler = scheduler;
      this.ticker = ticker;
    }

    @Override
    public void execute(Runnable step) {
      scheduler.schedule(step);
    }

    /** Called by whoever owns the endpoint, hence by one thread at a time. */
    @Override
    public void at(long instantNanos, Runnable step) {
      if (alarm != null) {
        alarm.dispose();
        alarm = null;
      }
      if (instantNanos != Ticker.NEVER) {
        long delay = Math.max(0, instantNanos - ticker.nanos());
        alarm = scheduler.schedule(step, delay, TimeUnit.NANOSECONDS);
      }
    }
  }
}
