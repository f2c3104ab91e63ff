package io.penstock.limit;

import java.time.ZoneOffset;

/** Cells of the Unix clock in which regions count a limit that they share. */
public final class RegionCells {
  /**
   * The shortest window that regions share: shorter ones are over before other regions hear of
   * them.
   */
  private static final long SHORTEST_NANOS = 60_000_000_000L;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private RegionCells() {}

  /**
   * Returns the length of the cells in which regions count a limit, or 0 when they cannot: it has
   * no window, a shorter one than 60 s, or one that begins at no multiple of its length, as months
   * do.
   */
  public static long cellNanos(LimitSpec spec) {
    long nanos = spec instanceof LimitSpec.Day day ? cellNanos(day) : spec.windowNanos();
    return nanos >= SHORTEST_NANOS && nanos % NANOS_PER_MILLI == 0 ? nanos : 0;
  }

  private static long cellNanos(LimitSpec.Day day) {
    boolean same =
        day.midnight() == null
            || (day.midnight().zone().equals(ZoneOffset.UTC)
                && day.windowNanos() == LimitSpec.Day.NANOS);
    return same ? LimitSpec.Day.NANOS : 0;
  }

  static boolean sameCells(LimitSpec spec, LimitSpec next) {
    return cellNanos(spec) != 0
        && cellNanos(spec) == cellNanos(next)
        && spec.getClass() == next.getClass();
  }
}
