package io.penstock.fake;

import io.penstock.dispatch.AlarmSource;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Drivers that run steps and alarms only when a test tells them to. */
public final class FakeDrivers implements AlarmSource {
  /** The driver of one endpoint. */
  public static final class FakeDriver implements StepAlarm {
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private long alarm = Ticker.NEVER;
    private Runnable onAlarm = () -> {};
    private int alarms;

    @Override
    public void soon(Runnable step) {
      steps.add(step);
    }

    @Override
    public void at(long instantNanos, Runnable step) {
      alarm = instantNanos;
      onAlarm = step;
      alarms++;
    }

    /** Returns the instant for which the endpoint set its alarm. */
    public long alarm() {
      return alarm;
    }

    /** Returns how often an alarm was set. */
    public int alarms() {
      return alarms;
    }

    /** Returns whether no step is requested except at the alarm. */
    public boolean isIdle() {
      return steps.isEmpty();
    }

    /** Triggers the alarm, whatever the time is, and clears it. */
    public void ring() {
      alarm = Ticker.NEVER;
      onAlarm.run();
    }
  }

  private final FakeTicker ticker;
  private final List<FakeDriver> drivers = new ArrayList<>();

  /** Creates drivers that use the given clock. */
  public FakeDrivers(FakeTicker ticker) {
    this.ticker = ticker;
  }

  @Override
  public StepAlarm alarm(LimitAlgorithm algorithm) {
    FakeDriver driver = new FakeDriver();
    drivers.add(driver);
    return driver;
  }

  /** Returns the n-th created driver, from 0. */
  public FakeDriver driver(int n) {
    return drivers.get(n);
  }

  /** Runs all requested steps, and those that they request. */
  public void run() {
    boolean ran;
    do {
      ran = false;
      for (FakeDriver driver : List.copyOf(drivers)) {
        for (Runnable step = driver.steps.poll(); step != null; step = driver.steps.poll()) {
          ran = true;
          step.run();
        }
      }
    } while (ran);
  }

  /** Returns the earliest alarm. */
  public long nextAlarm() {
    return drivers.stream().mapToLong(FakeDriver::alarm).min().orElse(Ticker.NEVER);
  }

  /** Moves the clock to an instant, running each alarm on the way at its time. */
  public void advanceTo(long instantNanos) {
    run();
    for (long next = nextAlarm(); next <= instantNanos; next = nextAlarm()) {
      ticker.set(Math.max(ticker.nanos(), next));
      for (FakeDriver driver : List.copyOf(drivers)) {
        if (driver.alarm() <= ticker.nanos()) {
          driver.ring();
        }
      }
      run();
    }
    ticker.set(instantNanos);
  }
}
