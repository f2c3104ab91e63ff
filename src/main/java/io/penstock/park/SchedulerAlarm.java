package io.penstock.park;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Runs steps on the thread of a scheduler, soon or at a given instant. Safe from any thread; it
 * runs nothing after it is closed.
 */
public final class SchedulerAlarm implements StepAlarm {
  private final Ticker ticker;
  private final Scheduler scheduler;
  private final boolean shared;
  private @Nullable Disposable pending;
  private boolean closed;

  /**
   * Creates an alarm that is not set.
   *
   * @param thread the name of its thread
   */
  public SchedulerAlarm(String thread, Ticker ticker) {
    this(Schedulers.newSingle(thread, true), false, ticker);
  }

  /**
   * Creates an alarm that is not set.
   *
   * @param shared whether others use the scheduler, so that it must outlive this alarm
   */
  SchedulerAlarm(Scheduler scheduler, boolean shared, Ticker ticker) {
    this.scheduler = scheduler;
    this.shared = shared;
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
    StepAlarm.super.close();
    closed = true;
    if (!shared) {
      scheduler.dispose();
    }
  }
}
