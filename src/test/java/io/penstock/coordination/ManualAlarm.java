package io.penstock.coordination;

import io.penstock.fake.FakeTicker;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/** Alarm that runs its steps exactly in time as its clock is advanced. */
final class ManualAlarm implements StepAlarm {
  final FakeTicker ticker = new FakeTicker();
  private long atNanos = Ticker.NEVER;
  private @Nullable Runnable step;

  /** Number of steps it ran. */
  int rings;

  /** Number of times it was set. */
  int sets;

  @Override
  public void soon(Runnable step) {
    throw new UnsupportedOperationException("coordination runs its steps at instants");
  }

  @Override
  public void at(long instantNanos, Runnable step) {
    this.atNanos = instantNanos;
    this.step = step;
    sets++;
  }

  @Override
  public void close() {
    step = null;
  }

  void pass(long nanos) {
    long end = ticker.nanos() + nanos;
    while (atNanos <= end && step != null) {
      ticker.set(Math.max(atNanos, ticker.nanos()));
      Runnable due = step;
      step = null;
      atNanos = Ticker.NEVER;
      rings++;
      due.run();
    }
    ticker.set(end);
  }
}
