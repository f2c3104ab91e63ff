package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.Map;
import java.util.TreeMap;

/**
 * What others counted of one limit: a word of its own, beside what is counted here, so that it is
 * never told on. Immutable.
 *
 * <p>Others say absolute counts of whole cells, floor(Unix time ÷ duration), of which the larger is
 * the newer one. Of a fixed window that is all there is to know. For a trailing window, what is new
 * in a count is taken to have been counted when it is heard, which is no earlier than it was; what
 * is new after a silence of more than a sub-cell, evenly over that silence, inside its cell. That
 * is the sliding-window counter, of which the last window's count is taken to be spread evenly over
 * it (Cloudflare, <i>How we built rate limiting capable of scaling to millions of domains</i>,
 * 2017: used = current + previous × (1 − elapsed share of the window)), with the silence in the
 * place of the window: a listener without silences errs by one exchange, one that has just come by
 * what that formula does.
 */
public final class Foreign {
  /** Sub-cells of two windows and more: a guard is no longer than its window. */
  private static final int LENGTH = 2 * Limit.SUB_CELLS + 8;

  private final long windowNanos;

  /** What to add to an instant for Unix nanoseconds. */
  private final long shift;

  /** The last three cells at most. */
  private final Map<Long, Long> known;

  private final long newest;
  private final long[] ring;

  private Foreign(long windowNanos, long shift, Map<Long, Long> known, long newest, long[] ring) {
    this.windowNanos = windowNanos;
    this.shift = shift;
    this.known = known;
    this.newest = newest;
    this.ring = ring;
  }

  /**
   * Nothing was heard.
   *
   * @param windowNanos the duration of the limit, and of its cells, ≥ 1 ms
   * @param shift what to add to an instant for Unix nanoseconds
   */
  public static Foreign none(long windowNanos, long shift) {
    return new Foreign(windowNanos, shift, Map.of(), Long.MIN_VALUE / 2, new long[LENGTH]);
  }

  /**
   * Returns this with what all others together counted in one cell.
   *
   * @param amount no less than before, or it is not news
   * @param since the instant at which it was heard last what there is; Long.MIN_VALUE for never
   * @param shift what to add to {@code now} for Unix nanoseconds
   */
  public Foreign heard(long cell, long amount, long since, long shift, long now) {
    long before = known.getOrDefault(cell, 0L);
    long oldest = Math.floorDiv(now + shift, windowNanos) - 1;
    if (amount <= before || cell < oldest) {
      return this;
    }
    long last = Math.max(newest, index(now));
    long[] next = newest < last - LENGTH ? new long[LENGTH] : Ring.rolled(ring, newest, last);
    spread(next, amount - before, cell * windowNanos - shift, since, now);
    TreeMap<Long, Long> cells = new TreeMap<>(known);
    cells.put(cell, amount);
    // The one before the running one may still grow, and clocks that are ahead begin the next.
    cells.headMap(oldest).clear();
    return new Foreign(windowNanos, shift, Map.copyOf(cells), last, next);
  }

  private void spread(long[] next, long amount, long begin, long since, long now) {
    long to = index(Math.clamp(now, begin, begin + windowNanos - 1));
    long from = index(Math.max(since, begin)) + (since > begin ? 1 : 0);
    boolean steady = since > Long.MIN_VALUE && now - since <= cellNanos();
    if (steady || from > to || begin > now) {
      add(next, index(now), amount, now);
      return;
    }
    long each = amount / (to - from + 1);
    for (long index = from; index < to; index++) {
      add(next, index, each, now);
    }
    add(next, to, amount - each * (to - from), now);
  }

  /** What was counted before all that is kept counts no more. */
  private void add(long[] next, long index, long amount, long now) {
    if (index > index(now) - LENGTH) {
      int at = Math.floorMod(index, LENGTH);
      next[at] = State.sum(next[at], amount);
    }
  }

  /** Whether it is of windows of that length. */
  boolean of(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> window.windowNanos() == windowNanos;
      case LimitSpec.TrailingWindow window -> window.windowNanos() == windowNanos;
      case LimitSpec.SlidingWindow window -> window.windowNanos() == windowNanos;
      case LimitSpec.Day day -> day.lengthNanos() == windowNanos;
      case LimitSpec.Unlimited unlimited -> false;
      case LimitSpec.Strict strict -> false;
      case LimitSpec.TokenBucket bucket -> false;
      case LimitSpec.Concurrency concurrency -> false;
    };
  }

  /** Returns what is known of each whole cell that may count, floor(Unix time ÷ duration). */
  public Map<Long, Long> cells() {
    return known;
  }

  private long cellNanos() {
    return Math.ceilDiv(windowNanos, Limit.SUB_CELLS);
  }

  private long index(long instant) {
    return Math.floorDiv(instant, cellNanos());
  }

  /** What was counted in the whole cell that {@code now} is in. */
  long inCell(long now) {
    return known.getOrDefault(cell(now), 0L);
  }

  private long cell(long now) {
    return Math.floorDiv(now + shift, windowNanos);
  }

  /** The instant at which the cell that {@code now} is in began. */
  long cellStart(long now) {
    return cell(now) * windowNanos - shift;
  }

  /** What counts for {@code span} after it was counted, rounded against the caller. */
  long trailing(long now, long span) {
    long sum = 0;
    for (long index = first(index(now - span)); index <= newest; index++) {
      sum = State.sum(sum, ring[Math.floorMod(index, LENGTH)]);
    }
    return sum;
  }

  /** The instant after {@code now} at which {@link #trailing} is less if nothing more is heard. */
  long less(long now, long span) {
    for (long index = first(index(now - span)); index <= newest; index++) {
      if (ring[Math.floorMod(index, LENGTH)] > 0) {
        return (index + 1) * cellNanos() + span;
      }
    }
    return Ticker.NEVER;
  }

  private long first(long index) {
    return Math.max(index, newest - LENGTH + 1);
  }

  /** Returns what counts at {@code now} in a window that trails it: for people, and for routing. */
  public long trailing(long now) {
    return trailing(now, windowNanos);
  }
}
