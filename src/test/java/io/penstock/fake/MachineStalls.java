package io.penstock.fake;

import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the time for which the machine did not run this JVM: a thread sleeps briefly, again and
 * again, and records how much too late it wakes up. A test that measures time subtracts that, so
 * that its bound holds on a busy machine, too. Safe from any thread.
 */
public final class MachineStalls implements AutoCloseable {
  private static final long SLEEP_NANOS = 10_000_000;

  /** Usual lateness of timers, about a millisecond even on an idle machine. */
  private static final long USUAL_NANOS = 2_000_000;

  private record Stall(long atNanos, long nanos) {}

  private final Ticker ticker = Ticker.system();
  private final Queue<Stall> stalls = new ConcurrentLinkedQueue<>();
  private volatile boolean over;

  /** Starts to measure. */
  public MachineStalls() {
    Thread.ofPlatform().daemon().name("machine-stalls").start(this::measure);
  }

  private void measure() {
    while (!over) {
      long begin = ticker.nanos();
      LockSupport.parkNanos(SLEEP_NANOS);
      long end = ticker.nanos();
      long late = end - begin - SLEEP_NANOS;
      if (late > USUAL_NANOS) {
        stalls.add(new Stall(end, late));
      }
    }
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

  @Override
  public void close() {
    over = true;
  }
}
