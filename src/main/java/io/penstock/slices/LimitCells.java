package io.penstock.slices;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellGrid;
import io.penstock.limit.CellPartition;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceStore;
import io.penstock.time.CellClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Division of the time of a shared limit into cells, as the store divides it. Times of the shared
 * clock are nanoseconds since 1970. Used by one thread at a time.
 */
final class LimitCells {
  private static final long MICRO = 1_000;
  private static final long HOUR_MICROS = 3_600_000_000L;

  private static final long TOGETHER_NANOS = 5_000_000;
  private static final long LEAST_WINDOW_NANOS = 2_000_000;
  private static final long MOST_WINDOW_NANOS = 20_000_000;

  private final CellPartition partition;

  /** For days of 24 h from first use: the start of the last day in which anything was granted. */
  private long anchor = CellGrid.NONE;

  /** For calendar days: one midnight, and the one after it. */
  private long day = CellGrid.NONE;

  private long dayAfter = CellGrid.NONE;

  /**
   * Whether the limit had other cells before. The store has then moved earlier spending into these
   * cells, and this instance does not know into which.
   */
  private final boolean changed;

  private LimitCells(CellPartition partition, boolean changed) {
    this.partition = partition;
    this.changed = changed;
  }

  /** Returns the cells of a limit, or null when limits of its kind are not shared in slices. */
  static @Nullable LimitCells of(LimitSpec spec) {
    return of(spec, false);
  }

  /** Returns the cells of a limit, as {@link #of} does, for a limit that had other cells before. */
  static @Nullable LimitCells changed(LimitSpec spec) {
    return of(spec, true);
  }

  private static @Nullable LimitCells of(LimitSpec spec, boolean changed) {
    try {
      return new LimitCells(CellPartition.of(spec), changed);
    } catch (IllegalArgumentException unshared) {
      return null;
    }
  }

  /** Returns these cells for a changed limit; null when the changed limit has other cells. */
  @Nullable LimitCells become(LimitSpec spec) {
    LimitCells next = of(spec, changed);
    if (next == null || !next.partition.fits(partition)) {
      return null;
    }
    next.anchor = anchor;
    return next;
  }

  /** Takes in granted slices, which may tell when a day began. */
  void learnDayStart(List<CellAmount> slices) {
    if (partition.kind() == CellPartition.Kind.SPAN && !slices.isEmpty()) {
      anchor = slices.getFirst().cell();
    }
  }

  /** Returns the running cell; when none runs, the number of a cell that would begin now. */
  long at(long shared) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> Math.floorDiv(shared, nanos());
      case CONCURRENCY -> 0;
      case DAY -> day(shared / MICRO);
      case SPAN -> anchored(shared) ? anchor : shared / MICRO;
      case STRICT -> shared / MICRO;
    };
  }

  private long nanos() {
    return partition.cellMicros() * MICRO;
  }

  private long day(long micros) {
    long late = partition.reach();
    if (day == CellGrid.NONE || micros < day + late || micros >= dayAfter + late) {
      List<Long> midnights = partition.midnights(micros);
      int at = midnights.get(1) + late <= micros ? 1 : 0;
      day = midnights.get(at);
      dayAfter = midnights.get(at + 1);
    }
    return day;
  }

  /** Returns whether the limit is low enough to be used up at all. */
  boolean canBeReached() {
    return partition.capacity() < CellPartition.MOST;
  }

  /** Returns whether there is a single cell, which never ends. */
  boolean endless() {
    return partition.kind() == CellPartition.Kind.CONCURRENCY;
  }

  private boolean anchored(long shared) {
    return anchor != CellGrid.NONE && shared < ends(anchor);
  }

  /** Returns the oldest cell that may count. */
  long oldest(long shared) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> Math.max(0, at(shared) - partition.reach());
      case CONCURRENCY, DAY -> at(shared);
      case SPAN -> anchored(shared) ? anchor : soonestSpan(shared / MICRO);
      case STRICT -> at(shared - windowNanos());
    };
  }

  /**
   * Returns the earliest start of a day that may be running although this instance has not heard of
   * any. It reports everything it has spent since then.
   */
  private long soonestSpan(long micros) {
    if (changed && anchor == CellGrid.NONE) {
      return micros;
    }
    long after = anchor == CellGrid.NONE ? 0 : anchor + CellPartition.SPAN_MICROS;
    return Math.max(after, micros - CellPartition.SPAN_MICROS - partition.reach());
  }

  /**
   * Returns how long a cell counts after its start; 0 for permits, of which only those in use
   * count.
   */
  private long countsNanos() {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> nanos() * (partition.reach() + 1);
      case CONCURRENCY, STRICT -> 0;
      case DAY -> (31 * CellPartition.SPAN_MICROS + 2 * HOUR_MICROS + partition.reach()) * MICRO;
      case SPAN -> (CellPartition.SPAN_MICROS + partition.reach()) * MICRO;
    };
  }

  /** Returns whether anything spent at {@code then} still counts at {@code shared}. */
  boolean counts(long then, long shared) {
    return then >= shared - countsNanos();
  }

  /**
   * Returns the last cell in which anything counts, or may count, that was spent until {@code
   * shared}.
   */
  long lastOf(long shared) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> at(shared) + partition.reach();
      case CONCURRENCY, DAY -> at(shared);
      case STRICT -> SliceStore.Ask.NONE;
      case SPAN -> anchor <= shared / MICRO ? at(shared) : shared / MICRO;
    };
  }

  /** Returns whether a cell has ended. */
  boolean isOver(long cell, long shared) {
    return shared >= ends(cell);
  }

  private long begins(long cell) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> cell * nanos();
      case CONCURRENCY -> 0;
      case DAY -> (cell + partition.reach()) * MICRO;
      case SPAN, STRICT -> cell * MICRO;
    };
  }

  private long ends(long cell) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> (cell + 1) * nanos();
      case CONCURRENCY -> Long.MAX_VALUE;
      case DAY -> (after(cell) + partition.reach()) * MICRO;
      case SPAN -> (spanOf(cell) + CellPartition.SPAN_MICROS + partition.reach()) * MICRO;
      case STRICT -> cell * MICRO + windowNanos();
    };
  }

  /**
   * Returns the start of the day to which a cell belongs. A cell granted before it was known that
   * the day began earlier ends with that day.
   */
  private long spanOf(long cell) {
    return anchor != CellGrid.NONE && anchor < cell && cell < anchor + CellPartition.SPAN_MICROS
        ? anchor
        : cell;
  }

  /**
   * Returns for how long after its start a slot may be used: a tenth of an interval, 2 to 20 ms;
   * when several slots are granted as one, also for as long as those last.
   */
  private long windowNanos() {
    long interval = partition.seconds() * 1_000_000_000L / partition.releases();
    long several = interval < TOGETHER_NANOS ? TOGETHER_NANOS : 0;
    return several + Math.clamp(interval / 10, LEAST_WINDOW_NANOS, MOST_WINDOW_NANOS);
  }

  private long after(long midnight) {
    return midnight == day ? dayAfter : partition.midnights(midnight).get(2);
  }

  /** Returns the approximate position of the cells on the local clock. */
  CellGrid grid(CellClock clock, long now) {
    long shared = clock.earliest(now) / 2 + clock.latest(now) / 2;
    long cell = at(shared);
    long start = now - (shared - begins(cell));
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> new CellGrid(cell, start, nanos());
      case CONCURRENCY -> new CellGrid(cell, now, Long.MAX_VALUE);
      case DAY -> new CellGrid(cell, start, ends(cell) - begins(cell), after(cell) - cell);
      case SPAN ->
          anchored(shared)
              ? new CellGrid(cell, start, ends(cell) - begins(cell), 0)
              : CellGrid.none(now);
      case STRICT -> CellGrid.none(now);
    };
  }

  /**
   * Returns until when, approximately and by the local clock, the amount left is valid: until the
   * limit is full again. Permits may come back at any time, so for them it is the end of the
   * slices.
   */
  long leftUntil(SliceStore.Grant grant, CellClock clock, long ends, long now) {
    long shared = clock.earliest(now) / 2 + clock.latest(now) / 2;
    return endless() ? ends : now + grant.fullNanos() - shared;
  }

  /** Returns whether a granted amount stays granted until it is spent or given back. */
  boolean stays() {
    return endless() || partition.kind() == CellPartition.Kind.BUCKET;
  }

  /**
   * Returns for how long, approximately, the amount that is free now can still be spent, if slices
   * are renewed.
   */
  long leftNanos(CellGrid cellGrid, long now) {
    return stays() ? Long.MAX_VALUE : cellGrid.cellNanos() - (now - cellGrid.startNanos());
  }

  /**
   * Returns the time by the local clock in which a cell runs for certain and a slice that ends by
   * {@code ends} is valid.
   */
  CellGrid.Span span(long cell, CellClock clock, long ends, long now) {
    if (endless() || cell == CellPartition.OUT) {
      return new CellGrid.Span(now, ends);
    }
    long from = now + Math.min(0, lacks(cell, clock, now));
    for (long lacks = lacks(cell, clock, from); lacks > 0; lacks = lacks(cell, clock, from)) {
      from += lacks;
    }
    if (partition.kind() == CellPartition.Kind.STRICT) {
      return new CellGrid.Span(Math.max(now, from), Math.min(ends, from + windowNanos()));
    }
    from = Math.max(now, from);
    long until = ends;
    for (long over = over(cell, clock, until); over > 0 && until > now; ) {
      until -= over;
      over = over(cell, clock, until);
    }
    return new CellGrid.Span(from, until);
  }

  private long lacks(long cell, CellClock clock, long instant) {
    return begins(cell) - clock.earliest(instant);
  }

  private long over(long cell, CellClock clock, long instant) {
    return clock.latest(instant) - ends(cell);
  }

  /**
   * Returns whether cells are slots. Spending of slots is not reported; asks only state the lack.
   */
  boolean slots() {
    return partition.kind() == CellPartition.Kind.STRICT;
  }

  /**
   * Returns the most that may be asked ahead: the capacity, or for slots the number of slots in the
   * given time.
   */
  long most(long capacity, long nanos) {
    double slots = (double) nanos * partition.releases() / (partition.seconds() * 1e9);
    return slots() ? (long) slots + 1 : capacity;
  }
}
