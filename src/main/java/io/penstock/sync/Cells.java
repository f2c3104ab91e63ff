package io.penstock.sync;

import io.penstock.limit.Grid;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Partition;
import io.penstock.time.CellClock;
import org.jspecify.annotations.Nullable;

/**
 * How the time of a shared limit is cut.
 *
 * @param nanos how long a cell is; {@link Long#MAX_VALUE} when there is one that never ends
 * @param reach for how many cells after it a cell counts
 */
record Cells(long nanos, long reach) {
  private static final long MICRO = 1_000;

  /** The cells of a limit, or null when it is of a kind that is not shared in slices. */
  static @Nullable Cells of(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> null;
      case LimitSpec.Strict strict -> null;
      case LimitSpec.TokenBucket bucket -> null;
      case LimitSpec.SlidingWindow window -> null;
      case LimitSpec.Day day -> null;
      case LimitSpec.Concurrency concurrency -> new Cells(Long.MAX_VALUE, 0);
      case LimitSpec.FixedWindow window -> of(Partition.of(window));
      case LimitSpec.TrailingWindow window -> of(Partition.of(window));
    };
  }

  /** As those who grant cut it. */
  private static Cells of(Partition partition) {
    return new Cells(partition.cellMicros() * MICRO, partition.reach());
  }

  /** Whether there is one cell, which never ends. */
  boolean endless() {
    return nanos == Long.MAX_VALUE;
  }

  long at(long shared) {
    return endless() ? 0 : Math.floorDiv(shared, nanos);
  }

  /** The oldest that counts. */
  long oldest(long shared) {
    return Math.max(0, at(shared) - reach);
  }

  /** For how long after its start a cell counts; of permits nothing does but what is out. */
  long countsNanos() {
    return endless() ? 0 : nanos * (reach + 1);
  }

  /** How they lie on the own clock, about. */
  Grid grid(CellClock clock, long now) {
    long shared = clock.earliest(now) / 2 + clock.latest(now) / 2;
    long cell = at(shared);
    return new Grid(cell, endless() ? now : now - (shared - cell * nanos), nanos);
  }

  /** When a cell runs for certain, by the own clock, and a slice that ends by then is valid. */
  Grid.Span span(long cell, CellClock clock, long ends, long now) {
    if (endless()) {
      return new Grid.Span(now, ends);
    }
    long from = now;
    for (long lacks = lacks(cell, clock, from); lacks > 0; lacks = lacks(cell, clock, from)) {
      from += lacks;
    }
    long until = ends;
    for (long over = over(cell, clock, until); over > 0 && until > now; ) {
      until -= over;
      over = over(cell, clock, until);
    }
    return new Grid.Span(from, until);
  }

  private long lacks(long cell, CellClock clock, long instant) {
    return cell * nanos - clock.earliest(instant);
  }

  private long over(long cell, CellClock clock, long instant) {
    return clock.latest(instant) - (cell + 1) * nanos;
  }
}
