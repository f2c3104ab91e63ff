package io.penstock.park;

import io.penstock.dispatch.AlarmSource;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.EnumMap;
import java.util.Map;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Creates the alarms of endpoints, with one named scheduler per algorithm, such as {@code
 * penstock-token-window}; each scheduler is a single thread. Wake-ups are timers at computed
 * instants; nothing runs between them.
 */
public final class SchedulerAlarms implements AlarmSource, AutoCloseable {
  private final Ticker ticker;
  private final Map<LimitAlgorithm, Scheduler> schedulers = new EnumMap<>(LimitAlgorithm.class);

  /** Creates a source of alarms with instants of {@code ticker}. */
  public SchedulerAlarms(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public synchronized StepAlarm alarm(LimitAlgorithm limitAlgorithm) {
    Scheduler scheduler =
        schedulers.computeIfAbsent(
            limitAlgorithm, each -> Schedulers.newSingle(each.schedulerName(), true));
    return new SchedulerAlarm(scheduler, true, ticker);
  }

  @Override
  public synchronized void close() {
    schedulers.values().forEach(Scheduler::dispose);
    schedulers.clear();
  }
}
