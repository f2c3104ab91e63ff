package io.penstock.limit;

import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts of one limit that other instances reported. They are kept apart from what is counted here,
 * so that they are never reported again. Immutable.
 *
 * <p>Others report absolute counts of whole cells, floor(Unix time ÷ duration); the larger of two
 * counts is the newer one. For a fixed window that is enough. For a trailing window, the increase
 * of a count is taken to have been counted when it is heard, which is no earlier than it was. After
 * a silence of more than a sub-cell, the increase is spread evenly over that silence, inside its
 * cell. That is the sliding-window counter, which takes the last window's count to be spread evenly
 * over it (Cloudflare, <i>How we built rate limiting capable of scaling to millions of domains</i>,
 * 2017: used = current + previous × (1 − elapsed share of the window)), with the silence in the
 * place of the window: a listener without silences errs by one exchange, one that has just started
 * by as much as that formula does.
 */
public final class PeerCounts {
  /**
   * Number of sub-cells: those of two windows and a few more, as a guard is no longer than its
   * window.
   */
  private static final int LENGTH = 2 * AmountRing.SUB_CELLS + 8;

  private final long windowNanos;

  /** Offset from an instant to Unix nanoseconds. */
  private final long shift;

  /** The counts of at most the last three cells. */
  private final Map<Long, Long> known;

  private final long newest;
  private final long[] ring;

  private PeerCounts(
      long windowNanos, long shift, Map<Long, Long> known, long newest, long[] ring) {
    this.windowNanos = windowNanos;
    this.shift = shift;
    this.known = known;
    this.newest = newest;
    this.ring = ring;
  }

  /**
   * Creates counts when nothing was heard.
   *
   * @param windowNanos the duration of the limit, and of its cells, ≥ 1 ms
   * @param shift what to add to an instant for Unix nanoseconds
   */
  public static PeerCounts none(long windowNanos, long shift) {
    return new PeerCounts(windowNanos, shift, Map.of(), Long.MIN_VALUE / 2, new long[LENGTH]);
  }

  /**
   * Returns these counts with what all others together counted in one cell.
   *
   * @param amount ignored unless it is more than before
   * @param since the instant at which the counts were heard last; Long.MIN_VALUE for never
   * @param shift what to add to {@code now} for Unix nanoseconds
   */
  public PeerCounts withReport(long cell, long amount, long since, long shift, long now) {
    long before = known.getOrDefault(cell, 0L);
    long oldest = Math.floorDiv(now + shift, windowNanos) - 1;
    if (amount <= before || cell < oldest) {
      return this;
    }
    long last = Math.max(newest, index(now));
    long[] next = newest < last - LENGTH ? new long[LENGTH] : AmountRing.rolled(ring, newest, last);
    spread(next, amount - before, cell * windowNanos - shift, since, now);
    TreeMap<Long, Long> cells = new TreeMap<>(known);
    cells.put(cell, amount);
    // The cell before the running one may still grow, and clocks that are ahead begin the next one.
    cells.headMap(oldest).clear();
    return new PeerCounts(windowNanos, shift, Map.copyOf(cells), last, next);
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

  /**
   * Adds an amount to a sub-cell, unless that is older than all that is kept and counts no more.
   */
  private void add(long[] next, long index, long amount, long now) {
    if (index > index(now) - LENGTH) {
      int at = Math.floorMod(index, LENGTH);
      next[at] = AmountBound.sum(next[at], amount);
    }
  }

  /** Returns whether the windows of a limit are as long as those of these counts. */
  boolean matches(LimitSpec spec) {
    return spec.windowNanos() == windowNanos;
  }

  /** Returns a fixed window on the grid of cells: an idle one starts when the running cell does. */
  LocalState aligned(LocalState local, long now) {
    if (local instanceof FixedWindowState window) {
      LimitBalance owed = window.balance(now);
      if (owed.charged() == 0 && owed.debt() == 0) {
        return new FixedWindowState(window.spec(), cellStart(now), 0, 0, owed.reserved());
      }
    }
    return local;
  }

  /**
   * Returns the instant at which {@code amount} has room besides these counts if nothing else
   * happens.
   *
   * @param local the state of the limit by its own counts alone
   * @param spec of the limit
   */
  long roomFreeAt(LocalState local, LimitSpec spec, long amount, long now) {
    LocalState own = aligned(local, now);
    long instant = own.roomFreeAt(amount, now);
    while (amount > 0
        && instant < Ticker.NEVER
        && Math.max(0, own.room(instant) - counted(spec, instant)) < amount) {
      long need = AmountBound.sum(amount, counted(spec, instant));
      long enough = need <= own.capacity(instant) ? own.roomFreeAt(need, instant) : instant;
      long less = lessAt(spec, instant);
      instant = enough > instant ? Math.min(enough, less) : less;
    }
    return instant;
  }

  /** Returns what others counted, as far as it counts in a limit at {@code now}. */
  long counted(LimitSpec spec, long now) {
    return spec instanceof LimitSpec.FixedWindow ? inCell(now) : trailing(now, span(spec, now));
  }

  /** Returns the instant after {@code now} at which {@link #counted} is less without a report. */
  long lessAt(LimitSpec spec, long now) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> cellStart(now) + window.windowNanos();
      case LimitSpec.Day day -> lessOfDayAt(day.midnight(), now);
      default -> less(now, span(spec, now));
    };
  }

  private long lessOfDayAt(@Nullable ZoneMidnights midnights, long now) {
    return midnights == null ? less(now, LimitSpec.Day.NANOS) : midnights.after(now, now);
  }

  /**
   * Returns how long an amount that others counted counts, in nanoseconds. A day that begins with
   * its first use has no beginning that all instances know, so there it is 24 h.
   */
  private static long span(LimitSpec spec, long now) {
    return switch (spec) {
      case LimitSpec.TrailingWindow window -> window.windowNanos() + window.guardNanos();
      case LimitSpec.Day day -> spanOfDay(day.midnight(), now);
      default -> spec.windowNanos();
    };
  }

  private static long spanOfDay(@Nullable ZoneMidnights midnights, long now) {
    if (midnights == null) {
      return LimitSpec.Day.NANOS;
    }
    long begin = midnights.after(now - midnights.apartNanos(), now);
    for (long next = begin; next <= now; next = midnights.after(next, now)) {
      begin = next;
    }
    return now - Math.min(begin, now);
  }

  /** Returns the count of each whole cell that may count, by floor(Unix time ÷ duration). */
  public Map<Long, Long> cells() {
    return known;
  }

  private long cellNanos() {
    return AmountRing.subCell(windowNanos);
  }

  private long index(long instant) {
    return Math.floorDiv(instant, cellNanos());
  }

  /** Returns what was counted in the whole cell that {@code now} is in. */
  long inCell(long now) {
    return known.getOrDefault(cell(now), 0L);
  }

  private long cell(long now) {
    return Math.floorDiv(now + shift, windowNanos);
  }

  /** Returns the instant at which the cell that {@code now} is in began. */
  long cellStart(long now) {
    return cell(now) * windowNanos - shift;
  }

  /**
   * Returns the sum of what counts for {@code span} after it was counted, rounded against the
   * caller.
   */
  long trailing(long now, long span) {
    return AmountRing.sum(ring, index(now - span), newest);
  }

  /**
   * Returns the instant after {@code now} at which {@link #trailing} is less if nothing more is
   * heard.
   */
  long less(long now, long span) {
    long index = AmountRing.reaching(1, ring, index(now - span), newest);
    return index == Long.MAX_VALUE ? Ticker.NEVER : (index + 1) * cellNanos() + span;
  }

  /** Returns what counts at {@code now} in a window that trails it, for display and for routing. */
  public long trailing(long now) {
    return trailing(now, windowNanos);
  }
}
