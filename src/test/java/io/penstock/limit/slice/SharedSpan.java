package io.penstock.limit.slice;

import io.penstock.limit.CellPartition;
import java.util.SortedMap;

/**
 * Beginning of the running 24 h of a shared limit, which begin with the first grant in them. After
 * a loss, something may be granted as if it were the first, before a member reports that the 24 h
 * began earlier. Then they did begin earlier, and both amounts count in them. If nothing is granted
 * in those that began earlier, nothing is granted at all until they are over. Belongs to one thread
 * at a time.
 */
final class SharedSpan {
  private long begins = SliceLedger.NONE;
  private long known;

  /**
   * Returns the running cell; {@code now} when none runs.
   *
   * @param totals what counts, by cell
   * @param barred the last cell in which nothing is granted
   * @param late for how long a cell counts after its 24 h
   */
  long running(SortedMap<Long, Long> totals, long barred, long late, long now) {
    begins = earlier(begins, totals.isEmpty() ? SliceLedger.NONE : totals.firstKey());
    begins = earlier(begins, open(barred, late, now));
    if (begins != SliceLedger.NONE && open(begins, late, now) == SliceLedger.NONE) {
      known = Math.max(known, begins + CellPartition.SPAN_MICROS);
      begins = open(barred, late, now);
    }
    return begins == SliceLedger.NONE ? now : begins;
  }

  private static long earlier(long one, long other) {
    return one == SliceLedger.NONE || other == SliceLedger.NONE
        ? Math.max(one, other)
        : Math.min(one, other);
  }

  private static long open(long cell, long late, long now) {
    boolean runs = cell != SliceLedger.NONE && now < cell + CellPartition.SPAN_MICROS + late;
    return runs ? cell : SliceLedger.NONE;
  }

  /** Records that something was granted in a cell, which therefore runs. */
  void begin(long cell) {
    begins = cell;
  }

  /** Returns the first cell that is in no 24 h that are over. */
  long known() {
    return known;
  }
}
