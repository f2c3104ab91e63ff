package io.penstock.time;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The shared clock as far as this instance can know it: bounds that move with its own monotonic
 * clock. Safe from any thread.
 *
 * <p>When a query was sent at a and answered at b, by the monotonic clock, with the shared time s,
 * the shared clock was at most s at a and at least s at b. Both bounds widen by {@link #DRIFT_PPM};
 * of several answers the narrowest bounds hold (Marzullo's intersection, of one source).
 */
public final class CellClock {
  /** The most by which two disciplined clocks drift apart, in millionths. */
  public static final long DRIFT_PPM = 200;

  /**
   * @param low what to add to now for the earliest shared time, at {@code at}
   * @param high what to add to now for the latest shared time, at {@code at}
   */
  private record Bounds(long low, long high, long at) {
    Bounds at(long now) {
      long drift = Math.max(0, now - at) / 1_000_000 * DRIFT_PPM + DRIFT_PPM;
      return new Bounds(low - drift, high + drift, Math.max(at, now));
    }
  }

  private final AtomicReference<@Nullable Bounds> bounds = new AtomicReference<>();

  /** Returns whether the shared time is known at all. */
  public boolean known() {
    return bounds.get() != null;
  }

  /**
   * Adds an answer about the shared time.
   *
   * @param asked when the query was sent, by the monotonic clock
   * @param answered when the answer came, at least {@code asked}
   * @param shared the shared time of the answer, in nanoseconds since 1970
   * @param quantum how much later it may have been: the step of the clock that was read
   * @return whether it agrees with what was known: if not, the shared clock was set, and only this
   *     answer counts from now on
   */
  public boolean addReading(long asked, long answered, long shared, long quantum) {
    Bounds reading = new Bounds(shared - answered, shared + quantum - asked, answered);
    while (true) {
      Bounds known = bounds.get();
      Bounds next = reading;
      boolean agrees = true;
      if (known != null) {
        Bounds moved = known.at(answered);
        long low = Math.max(moved.low(), reading.low());
        long high = Math.min(moved.high(), reading.high());
        agrees = low <= high;
        next = agrees ? new Bounds(low, high, moved.at()) : reading;
      }
      if (bounds.compareAndSet(known, next)) {
        return agrees;
      }
    }
  }

  /**
   * Returns the earliest time that the shared clock can have at {@code now}, in nanoseconds since
   * 1970.
   *
   * @throws IllegalStateException when no answer has come yet
   */
  public long earliest(long now) {
    Bounds moved = bounds(now);
    return now + moved.low();
  }

  /**
   * Returns the latest time that the shared clock can have at {@code now}, as {@link #earliest}.
   */
  public long latest(long now) {
    Bounds moved = bounds(now);
    return now + moved.high();
  }

  private Bounds bounds(long now) {
    Bounds known = bounds.get();
    if (known == null) {
      throw new IllegalStateException("the shared time was never heard");
    }
    return known.at(now);
  }
}
