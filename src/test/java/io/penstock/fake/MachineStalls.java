package io.penstock.fake;

import io.penstock.time.Ticker;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the time for which the machine did not run this JVM: a thread sleeps briefly, again and
 * again, and records how much too late it wakes up. Between its sleeps it works for a few
 * milliseconds of processor time, and records how long that took. A test that measures time
 * compares with both, so that its bound holds on a busy machine, too. Safe from any thread.
 */
public final class MachineStalls implements AutoCloseable {
  private static final long SLEEP_NANOS = 10_000_000;

  /** Usual lateness of timers, about a millisecond even on an idle machine. */
  private static final long USUAL_NANOS = 2_000_000;

  /** Work after each so many sleeps: longer than a scheduler lets one thread run at once. */
  private static final int SLEEPS = 10;

  private static final long WORK_NANOS = 5_000_000;

  private static final double MOST_STALLED = 0.1;
  private static final double MOST_SLOWDOWN = 3;

  private record Stall(long atNanos, long nanos) {}

  private final Ticker ticker = Ticker.system();
  private final Queue<Stall> stalls = new ConcurrentLinkedQueue<>();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private volatile boolean over;

  /** Duration of all work, and its processor time; written by the measuring thread alone. */
  private final AtomicLong workNanos = new AtomicLong();

  private final AtomicLong processorNanos = new AtomicLong();

  /** Starts to measure. */
  public MachineStalls() {
    Thread.ofPlatform().daemon().name("machine-stalls").start(this::measure);
  }

  private void measure() {
    for (int sleeps = 1; !over; sleeps++) {
      long begin = ticker.nanos();
      LockSupport.parkNanos(SLEEP_NANOS);
      long end = ticker.nanos();
      long late = end - begin - SLEEP_NANOS;
      if (late > USUAL_NANOS) {
        stalls.add(new Stall(end, late));
      }
      if (sleeps % SLEEPS == 0) {
        work();
      }
    }
  }

  private void work() {
    long begin = ticker.nanos();
    long from = threads.getCurrentThreadCpuTime();
    long used = 0;
    while (used < WORK_NANOS) {
      used = threads.getCurrentThreadCpuTime() - from;
    }
    processorNanos.addAndGet(used);
    workNanos.addAndGet(ticker.nanos() - begin);
  }

  /** Returns how many times its processor time some work takes here; 1 on an idle machine. */
  public double slowdown() {
    long used = processorNanos.get();
    return used == 0 ? 1 : Math.max(1, (double) workNanos.get() / used);
  }

  /** Returns the total duration of all stalls. */
  public long totalNanos() {
    return stalls.stream().mapToLong(Stall::nanos).sum();
  }

  /** Returns the largest fraction of any window that was lost to stalls, from 0 to 1. */
  public double largestShare(long windowNanos) {
    Deque<Stall> within = new ArrayDeque<>();
    long sum = 0;
    long most = 0;
    for (Stall stall : stalls) {
      within.add(stall);
      sum += stall.nanos();
      while (within.element().atNanos() <= stall.atNanos() - windowNanos) {
        sum -= within.remove().nanos();
      }
      most = Math.max(most, sum);
    }
    return Math.min(1, (double) most / windowNanos);
  }

  /**
   * Runs checks of how precisely something is done in time. A failure counts, unless the machine
   * was too busy to tell: it stood still for a tenth of a window, or work took three times its
   * processor time.
   */
  public void unlessBusy(long windowNanos, Runnable checks) {
    try {
      checks.run();
    } catch (AssertionError failed) {
      if (!busy(windowNanos)) {
        throw failed;
      }
      System.out.printf(
          "The machine was too busy to tell how precise this is: it stood still for %.1f %% of a"
              + " window, and work took %.1f times its processor time. %s%n",
          100 * largestShare(windowNanos), slowdown(), failed.getMessage());
    }
  }

  /** Returns whether failed checks of precision tell nothing, by the same measure. */
  public boolean busy(long windowNanos) {
    return largestShare(windowNanos) > MOST_STALLED || slowdown() > MOST_SLOWDOWN;
  }

  @Override
  public void close() {
    over = true;
  }
}
