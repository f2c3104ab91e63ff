package io.penstock.park;

import io.penstock.coordination.Alarm;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Runs steps on a separate thread, soon or at a given instant. Safe from any thread; it runs
 * nothing after it is closed.
 */
public final class SchedulerAlarm implements StepAlarm, Alarm, AutoCloseable {
  private final Ticker ticker;
  private final Scheduler scheduler;
  private @Nullable Disposable pending;
  private boolean closed;

  /**
   * Creates an alarm that is not set.
   *
   * @param thread the name of its thread
   */
  public SchedulerAlarm(String thread, Ticker ticker) {
    this.scheduler = Schedulers.newSingle(thread, true);
    this.ticker = ticker;
  }

  @Override
  public synchronized void soon(Runnable step) {
    if (!closed) {
      scheduler.schedule(step);
    }
  }

  @Override
  public synchronized void at(long instantNanos, Runnable step) {
    if (pending != null) {
      pending.dispose();
      pending = null;
    }
    if (instantNanos != Ticker.NEVER && !closed) {
      long delay = Math.max(0, instantNanos - ticker.nanos());
      pending = scheduler.schedule(step, delay, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    scheduler.dispose();
  }
}
