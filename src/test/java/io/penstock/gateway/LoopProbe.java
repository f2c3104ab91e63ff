package io.penstock.gateway;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * Measures the longest time that event loops spend on one task, in CPU time of their threads. On
 * each loop a task that schedules itself again, once for each round of the loop, notes the time
 * since its last turn: that covers everything read and written in one round and all other tasks of
 * the queue. So no task can have taken longer than the measured time, and some took less.
 */
final class LoopProbe implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<Turn> turns = new ArrayList<>();

  private static final class Turn implements Runnable {
    private final EventLoop loop;
    private volatile boolean stopped;
    private volatile long mostNanos;
    private long lastNanos;

    Turn(EventLoop loop) {
      this.loop = loop;
    }

    @Override
    public void run() {
      long now = THREADS.getCurrentThreadCpuTime();
      if (lastNanos > 0) {
        mostNanos = Math.max(mostNanos, now - lastNanos);
      }
      lastNanos = THREADS.getCurrentThreadCpuTime();
      if (stopped) {
        return;
      }
      if (((SingleThreadEventExecutor) loop).pendingTasks() > 0) {
        loop.execute(this); // after the tasks that are already queued
      } else {
        var _ = loop.schedule(this, 0, TimeUnit.NANOSECONDS); // after the next round
      }
    }
  }

  /** Returns the CPU time of the current thread, in nanoseconds. */
  static long cpuNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Begins to measure. */
  static LoopProbe at(ReactorResourceFactory resources) {
    LoopProbe probe = new LoopProbe();
    for (EventExecutor loop : resources.getLoopResources().onServer(true)) {
      Turn turn = new Turn((EventLoop) loop);
      probe.turns.add(turn);
      loop.execute(turn);
    }
    return probe;
  }

  /** Waits until each loop had its turn, and returns the longest time so far, in nanoseconds. */
  long mostNanos() throws InterruptedException {
    CountDownLatch all = new CountDownLatch(turns.size());
    turns.forEach(turn -> turn.loop.execute(all::countDown));
    all.await();
    return turns.stream().mapToLong(turn -> turn.mostNanos).max().orElseThrow();
  }

  @Override
  public void close() {
    turns.forEach(turn -> turn.stopped = true);
  }
}
