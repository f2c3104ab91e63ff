package io.penstock.provider;

import io.penstock.fake.PatientWaits;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Virtual time that lets the test wait until code on another thread has set a timer. */
public final class SignalledTimers implements Scheduler {
  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final BlockingQueue<Duration> set = new LinkedBlockingQueue<>();

  /** Waits until the next timer is set and returns its delay or period. */
  public Duration awaitSet() {
    return PatientWaits.take(set);
  }

  public boolean noneSet() {
    return set.isEmpty();
  }

  public void advance(Duration by) {
    time.advanceTimeBy(by);
  }

  private Disposable told(Disposable task, long delay, TimeUnit unit) {
    set.add(Duration.of(delay, unit.toChronoUnit()));
    return task;
  }

  @Override
  public Disposable schedule(Runnable task) {
    return time.schedule(task);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    return told(time.schedule(task, delay, unit), delay, unit);
  }

  @Override
  public Worker createWorker() {
    Worker worker = time.createWorker();
    return new Worker() {
      @Override
      public Disposable schedule(Runnable task) {
        return worker.schedule(task);
      }

      @Override
      public Disposable schedulePeriodically(
          Runnable task, long initialDelay, long period, TimeUnit unit) {
        return told(
            worker.schedulePeriodically(task, initialDelay, period, unit), initialDelay, unit);
      }

      @Override
      public void dispose() {
        worker.dispose();
      }
    };
  }
}
