package io.penstock.operator;

import io.penstock.quota.Waits;
import io.penstock.time.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Runs the steps of waiting programs, on one thread of their own, at computed instants. */
final class DecisionAlarm implements Waits.Alarm, AutoCloseable {
  private final Ticker ticker;
  private final Scheduler scheduler = Schedulers.newSingle("penstock-decisions", true);
  private @Nullable Disposable pending;

  DecisionAlarm(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public void soon(Runnable step) {
    scheduler.schedule(step);
  }

  @Override
  public synchronized void at(long instantNanos, Runnable step) {
    if (pending != null) {
      pending.dispose();
      pending = null;
    }
    if (instantNanos != Ticker.NEVER) {
      long delay = Math.max(0, instantNanos - ticker.nanos());
      pending = scheduler.schedule(step, delay, TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void close() {
    scheduler.dispose();
  }
}
