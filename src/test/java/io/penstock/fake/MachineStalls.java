package io.penstock.fake;

import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A meter of the time that the machine had none for this JVM: a thread that sleeps for a moment,
 * again and again, and notes how much later it went on. A test that measures time subtracts that,
 * so that its bound holds on a busy machine as it does on an idle one. Safe from any thread.
 */
public final class MachineStalls implements AutoCloseable {
  private static final long SLEEP_NANOS = 10_000_000;

  /** Timers are late by about a millisecond on an idle machine too. */
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

  /** Returns how long all stalls took together. */
  public long totalNanos() {
    return stalls.stream().mapToLong(Stall::nanos).sum();
  }

  /** Returns the largest part of any window that was lost to stalls, from 0 to 1. */
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
