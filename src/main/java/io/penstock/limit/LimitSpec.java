package io.penstock.limit;

import io.penstock.time.ZoneMidnights;
import org.jspecify.annotations.Nullable;

/** Specification of a limit. Equal specs make equal limits. All durations are in nanoseconds. */
public sealed interface LimitSpec {
  /**
   * Returns the time within which charges need not be distinguished: one of 60 sub-cells, if the
   * limit has any.
   */
  default long subCellNanos() {
    return Long.MAX_VALUE;
  }

  /** Returns the largest amount that could ever be admitted at once. */
  long capacity();

  /** Returns for how long a charge counts, guards aside; 0 for limits without a window. */
  default long windowNanos() {
    return 0;
  }

  /** Admits everything. */
  record Unlimited() implements LimitSpec {
    @Override
    public long capacity() {
      return Long.MAX_VALUE;
    }
  }

  /**
   * One request per slot; slots are 1/rate apart.
   *
   * @param earlyNanos how long before its slot a release may come, ≥ 0; slots stay where they are
   */
  record Strict(ExactRate rate, long earlyNanos) implements LimitSpec {
    public Strict {
      atLeast("earlyNanos", earlyNanos, 0);
    }

    @Override
    public long capacity() {
      return 1;
    }
  }

  /**
   * A bucket that starts full and is filled continuously.
   *
   * @param rate at which it is filled
   * @param burst the number of tokens in a full bucket, ≥ 1
   */
  record TokenBucket(ExactRate rate, long burst) implements LimitSpec {
    public TokenBucket {
      atLeast("burst", burst, 1);
    }

    @Override
    public long capacity() {
      return burst;
    }
  }

  /**
   * At most {@code capacity} in any trailing window, exactly.
   *
   * @param capacity ≥ 1
   * @param windowNanos ≥ 1 ms
   */
  record SlidingWindow(long capacity, long windowNanos) implements LimitSpec {
    public SlidingWindow {
      atLeast("capacity", capacity, 1);
      atLeast("windowNanos", windowNanos, 1_000_000);
    }
  }

  /**
   * At most {@code capacity} in each fixed window.
   *
   * @param capacity ≥ 1
   * @param windowNanos ≥ 1 ms
   */
  record FixedWindow(long capacity, long windowNanos) implements LimitSpec {
    public FixedWindow {
      atLeast("capacity", capacity, 1);
      atLeast("windowNanos", windowNanos, 1_000_000);
    }

    @Override
    public long subCellNanos() {
      return AmountRing.subCell(windowNanos);
    }
  }

  /**
   * At most {@code capacity} in any trailing window, with a guard and a pace.
   *
   * @param capacity ≥ 1
   * @param windowNanos ≥ 1 ms; charges count in 60 sub-cells of a sixtieth each
   * @param guardNanos how much longer than the window a charge counts, ≥ 0
   * @param burst the amount that may pass at once, ≥ 1; the rest passes at capacity ÷ window
   */
  record TrailingWindow(long capacity, long windowNanos, long guardNanos, long burst)
      implements LimitSpec {
    /** A burst that is never used up: only the window limits. */
    public static final long UNPACED = Long.MAX_VALUE;

    public TrailingWindow {
      atLeast("capacity", capacity, 1);
      atLeast("windowNanos", windowNanos, 1_000_000);
      atLeast("guardNanos", guardNanos, 0);
      atLeast("burst", burst, 1);
    }

    /** Returns a window without a guard in which all may pass at once. */
    public static TrailingWindow unpaced(long capacity, long windowNanos) {
      return new TrailingWindow(capacity, windowNanos, 0, UNPACED);
    }

    @Override
    public long subCellNanos() {
      return AmountRing.subCell(windowNanos);
    }
  }

  /**
   * At most {@code max} permits at the same time; nothing is ever charged.
   *
   * @param max ≥ 1
   */
  record Concurrency(long max) implements LimitSpec {
    public Concurrency {
      atLeast("max", max, 1);
    }

    @Override
    public long capacity() {
      return max;
    }
  }

  /**
   * At most {@code capacity} a day, or a month if only some midnights end one.
   *
   * @param capacity ≥ 1
   * @param midnight where a day ends; null when it ends 24 h after its first request, and the next
   *     one begins with the first request after that
   * @param guardNanos how much longer than its day a request counts, ≥ 0
   */
  record Day(long capacity, @Nullable ZoneMidnights midnight, long guardNanos)
      implements LimitSpec {
    /** The length of a day that is bound to no calendar. */
    public static final long NANOS = 86_400_000_000_000L;

    public Day {
      atLeast("capacity", capacity, 1);
      atLeast("guardNanos", guardNanos, 0);
    }

    /** Returns the greatest length of a day, guard and daylight saving aside. */
    @Override
    public long windowNanos() {
      return midnight == null ? NANOS : midnight.apartNanos();
    }
  }

  private static void atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " is " + value + ", expected at least " + least);
    }
  }
}
