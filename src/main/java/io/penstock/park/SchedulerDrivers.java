package io.penstock.park;

import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.dispatch.StepDriver;
import io.penstock.time.Ticker;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Creates drivers of endpoints, with one named scheduler per algorithm, such as {@code
 * penstock-token-window}; each scheduler is a single thread. Wake-ups are timers at computed
 * instants; nothing runs between them.
 */
public final class SchedulerDrivers implements StepDriver.Source, AutoCloseable {
  private final Ticker ticker;
  private final Map<LimitAlgorithm, Scheduler> schedulers = new EnumMap<>(LimitAlgorithm.class);

  /** Creates a source of drivers with instants of {@code ticker}. */
  public SchedulerDrivers(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public synchronized StepDriver driver(LimitAlgorithm limitAlgorithm) {
    Scheduler scheduler =
        schedulers.computeIfAbsent(
            limitAlgorithm, each -> Schedulers.newSingle(each.schedulerName(), true));
    return new OneEndpoint(scheduler, ticker);
  }

  @Override
  public synchronized void close() {
    schedulers.values().forEach(Scheduler::dispose);
    schedulers.clear();
  }

  private static final class OneEndpoint implements StepDriver {
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

    /** Called by the owner of the endpoint, so by one thread at a time. */
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
