package io.penstock.bench;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import java.time.Duration;
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

/**
 * Measures the cost of a decision, compared with the minimal cost of any decision, and with that of
 * common libraries. Those read the clock themselves; here a request reads it once for all its
 * limits.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class DecisionBenchmark {
  /** The maximum of a packed window. */
  private static final long CAPACITY = (1L << 28) - 1;

  /** With this step a window is never full, and thousands begin in an iteration. */
  private static final long STEP_NANOS = 10_000;

  private final AtomicLong bare = new AtomicLong();
  private final Limit window = new Limit(new LimitSpec.FixedWindow(CAPACITY, 60_000_000_000L), 0);
  private final Limit trailing =
      new Limit(
          new LimitSpec.TrailingWindow(
              CAPACITY, 60_000_000_000L, 0, LimitSpec.TrailingWindow.UNPACED),
          0);
  private final Bucket bucket4j =
      Bucket.builder()
          .addLimit(limit -> limit.capacity(CAPACITY).refillGreedy(CAPACITY, Duration.ofMillis(1)))
          .build();
  private final RateLimiter guava = RateLimiter.create(1e12);
  private final AtomicRateLimiter resilience4j =
      new AtomicRateLimiter(
          "bench",
          RateLimiterConfig.custom()
              .limitForPeriod(Integer.MAX_VALUE)
              .limitRefreshPeriod(Duration.ofMillis(1))
              .timeoutDuration(Duration.ZERO)
              .build());
  private long now;

  /** One compare-and-set of a word. */
  @Benchmark
  public boolean compareAndSet() {
    long seen = bare.get();
    return bare.compareAndSet(seen, seen + 1);
  }

  /** One decision of a window with room. */
  @Benchmark
  public boolean admit() {
    now += STEP_NANOS;
    return window.take(Weight.exactly(1), now) instanceof LimitAnswer.Receipt;
  }

  /** One decision of a trailing window with room, which has sixty sub-cells. */
  @Benchmark
  public boolean admitTrailing() {
    now += STEP_NANOS;
    return trailing.take(Weight.exactly(1), now) instanceof LimitAnswer.Receipt;
  }

  /** One decision of a Bucket4j bucket with room. */
  @Benchmark
  public boolean bucket4j() {
    return bucket4j.tryConsume(1);
  }

  /** One decision of Guava's limiter at a rate that is never reached. */
  @Benchmark
  public boolean guava() {
    return guava.tryAcquire();
  }

  /** One decision of resilience4j's limiter with room. */
  @Benchmark
  public boolean resilience4j() {
    return resilience4j.acquirePermission();
  }
}
