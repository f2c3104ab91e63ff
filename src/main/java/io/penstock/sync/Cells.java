package io.penstock.sync;

import io.penstock.limit.Grid;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Partition;
import io.penstock.quota.Supply;
import io.penstock.time.CellClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the time of a shared limit is cut, as those who grant cut it. Times of the shared clock are
 * nanoseconds since 1970. Belongs to one thread at a time.
 */
final class Cells {
  private static final long MICRO = 1_000;
  private static final long HOUR_MICROS = 3_600_000_000L;

  private static final long TOGETHER_NANOS = 5_000_000;
  private static final long LEAST_WINDOW_NANOS = 2_000_000;
  private static final long MOST_WINDOW_NANOS = 20_000_000;

  private final Partition partition;

  /** Where days of 24 h are: the last one that anything was granted in. */
  private long anchor = Grid.NONE;

  /** Where the calendar has days: one of them, and the one after it. */
  private long day = Grid.NONE;

  private long dayAfter = Grid.NONE;

  /**
   * Whether the limit had other cells before. The store has then moved earlier spending into these
   * cells, and this instance does not know into which.
   */
  private final boolean changed;

  private Cells(Partition partition, boolean changed) {
    this.partition = partition;
    this.changed = changed;
  }

  /** The cells of a limit, or null when it is of a kind that is not shared in slices. */
  static @Nullable Cells of(LimitSpec spec) {
    return of(spec, false);
  }

  /** As {@link #of}, of a limit that had other cells before. */
  static @Nullable Cells changed(LimitSpec spec) {
    return of(spec, true);
  }

  private static @Nullable Cells of(LimitSpec spec, boolean changed) {
    try {
      return new Cells(Partition.of(spec), changed);
    } catch (IllegalArgumentException unshared) {
      return null;
    }
  }

  /** These cells when the limit is another one; null when that has other cells. */
  @Nullable Cells become(LimitSpec spec) {
    Cells next = of(spec, changed);
    if (next == null || !next.partition.fits(partition)) {
      return null;
    }
    next.anchor = anchor;
    return next;
  }

  /** Takes note of what was granted: it may tell when a day began. */
  void heard(List<Supply.Slice> slices) {
    if (partition.kind() == Partition.Kind.SPAN && !slices.isEmpty()) {
      anchor = slices.getFirst().cell();
    }
  }

  /** The cell that runs; where none does, the number of one that begins. */
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
    if (day == Grid.NONE || micros < day + late || micros >= dayAfter + late) {
      List<Long> midnights = partition.midnights(micros);
      int at = midnights.get(1) + late <= micros ? 1 : 0;
      day = midnights.get(at);
      dayAfter = midnights.get(at + 1);
    }
    return day;
  }

  /** Whether the limit is low enough for anybody to use it up. */
  boolean canBeReached() {
    return partition.capacity() < Partition.MOST;
  }

  /** Whether there is one cell, which never ends. */
  boolean endless() {
    return partition.kind() == Partition.Kind.CONCURRENCY;
  }

  private boolean anchored(long shared) {
    return anchor != Grid.NONE && shared < ends(anchor);
  }

  /** The oldest that may count. */
  long oldest(long shared) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> Math.max(0, at(shared) - partition.reach());
      case CONCURRENCY, DAY -> at(shared);
      case SPAN -> anchored(shared) ? anchor : soonestSpan(shared / MICRO);
      case STRICT -> at(shared - windowNanos());
    };
  }

  /**
   * Returns the earliest start of a day that may be running although this instance was told of
   * none. It reports everything it has spent since then.
   */
  private long soonestSpan(long micros) {
    if (changed && anchor == Grid.NONE) {
      return micros;
    }
    long after = anchor == Grid.NONE ? 0 : anchor + Partition.SPAN_MICROS;
    return Math.max(after, micros - Partition.SPAN_MICROS - partition.reach());
  }

  /** For how long after its start a cell counts; of permits nothing does but what is out. */
  private long countsNanos() {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> nanos() * (partition.reach() + 1);
      case CONCURRENCY, STRICT -> 0;
      case DAY -> (31 * Partition.SPAN_MICROS + 2 * HOUR_MICROS + partition.reach()) * MICRO;
      case SPAN -> (Partition.SPAN_MICROS + partition.reach()) * MICRO;
    };
  }

  /** Returns whether anything counts at {@code shared} that was spent at {@code then}. */
  boolean counts(long then, long shared) {
    return then >= shared - countsNanos();
  }

  /**
   * The last cell in which anything counts that was spent until {@code shared}, or may have been.
   */
  long lastOf(long shared) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> at(shared) + partition.reach();
      case CONCURRENCY, DAY -> at(shared);
      case STRICT -> Supply.Ask.NONE;
      case SPAN -> anchor <= shared / MICRO ? at(shared) : shared / MICRO;
    };
  }

  /** Whether a cell is over. */
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
      case SPAN -> (spanOf(cell) + Partition.SPAN_MICROS + partition.reach()) * MICRO;
      case STRICT -> cell * MICRO + windowNanos();
    };
  }

  /** What was granted before it was known that the day began earlier ends with that day. */
  private long spanOf(long cell) {
    return anchor != Grid.NONE && anchor < cell && cell < anchor + Partition.SPAN_MICROS
        ? anchor
        : cell;
  }

  /**
   * For how long after it begins a slot may be used: a tenth of an interval, 2 to 20 ms; and where
   * several are handed out as one, for as long as they last besides.
   */
  private long windowNanos() {
    long interval = partition.seconds() * 1_000_000_000L / partition.releases();
    long several = interval < TOGETHER_NANOS ? TOGETHER_NANOS : 0;
    return several + Math.clamp(interval / 10, LEAST_WINDOW_NANOS, MOST_WINDOW_NANOS);
  }

  private long after(long midnight) {
    return midnight == day ? dayAfter : partition.midnights(midnight).get(2);
  }

  /** How they lie on the own clock, about. */
  Grid grid(CellClock clock, long now) {
    long shared = clock.earliest(now) / 2 + clock.latest(now) / 2;
    long cell = at(shared);
    long start = now - (shared - begins(cell));
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> new Grid(cell, start, nanos());
      case CONCURRENCY -> new Grid(cell, now, Long.MAX_VALUE);
      case DAY -> new Grid(cell, start, ends(cell) - begins(cell), after(cell) - cell);
      case SPAN ->
          anchored(shared) ? new Grid(cell, start, ends(cell) - begins(cell), 0) : Grid.none(now);
      case STRICT -> Grid.none(now);
    };
  }

  /**
   * About until when it is known, by the own clock, what is left: until all is. Permits come back
   * at any time.
   */
  long leftUntil(Supply.Grant grant, CellClock clock, long ends, long now) {
    long shared = clock.earliest(now) / 2 + clock.latest(now) / 2;
    return endless() ? ends : now + grant.fullNanos() - shared;
  }

  /** Whether what was granted stays granted until it is spent or given back. */
  boolean stays() {
    return endless() || partition.kind() == Partition.Kind.BUCKET;
  }

  /** For how long what is free now may still be spent, slices being renewed; about. */
  long leftNanos(Grid grid, long now) {
    return stays() ? Long.MAX_VALUE : grid.cellNanos() - (now - grid.startNanos());
  }

  /** When a cell runs for certain, by the own clock, and a slice that ends by then is valid. */
  Grid.Span span(long cell, CellClock clock, long ends, long now) {
    if (endless() || cell == Partition.OUT) {
      return new Grid.Span(now, ends);
    }
    long from = now + Math.min(0, lacks(cell, clock, now));
    for (long lacks = lacks(cell, clock, from); lacks > 0; lacks = lacks(cell, clock, from)) {
      from += lacks;
    }
    if (partition.kind() == Partition.Kind.STRICT) {
      return new Grid.Span(Math.max(now, from), Math.min(ends, from + windowNanos()));
    }
    from = Math.max(now, from);
    long until = ends;
    for (long over = over(cell, clock, until); over > 0 && until > now; ) {
      until -= over;
      over = over(cell, clock, until);
    }
    return new Grid.Span(from, until);
  }

  private long lacks(long cell, CellClock clock, long instant) {
    return begins(cell) - clock.earliest(instant);
  }

  private long over(long cell, CellClock clock, long instant) {
    return clock.latest(instant) - ends(cell);
  }

  /** Whether cells are slots: nothing is told of them but what is lacked. */
  boolean slots() {
    return partition.kind() == Partition.Kind.STRICT;
  }

  /** The most that may be wanted of a limit that admits so much at once. */
  long most(long capacity, long nanos) {
    double slots = (double) nanos * partition.releases() / (partition.seconds() * 1e9);
    return slots() ? (long) slots + 1 : capacity;
  }
}
