package io.penstock.bench;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to decide, beside the least that any decision could cost. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class DecisionBenchmark {
  /** As large as a packed window gets. */
  private static final long CAPACITY = (1L << 28) - 1;

  /** At this pace a window is never full and thousands begin in an iteration. */
  private static final long STEP_NANOS = 10_000;

  private final AtomicLong bare = new AtomicLong();
  private final Limit window = new Limit(new LimitSpec.FixedWindow(CAPACITY, 60_000_000_000L), 0);
  private long now;

  /** One compare-and-set of a word. */
  @Benchmark
  public boolean compareAndSet() {
    long seen = bare.get();
    return bare.compareAndSet(seen, seen + 1);
  }

  /** One decision of a window that has room. */
  @Benchmark
  public boolean admit() {
    now += STEP_NANOS;
    return window.admit(1, now);
  }
}
