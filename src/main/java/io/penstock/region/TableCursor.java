package io.penstock.region;

/**
 * Position from which a table of other regions is read next. Reads begin some time before the
 * newest row seen, because each region stamps rows by its own clock and rows take time to be
 * replicated. Now and then the whole table is read. Not thread-safe.
 */
final class TableCursor {
  /**
   * How far a read goes back before the newest row seen. Rows that differ by more, because of
   * clocks or late replication, are only found when the whole table is read.
   */
  static final long OVERLAP_MILLIS = 120_000;

  private static final int WHOLE_EVERY = 12;

  private long newest;
  private int reads;

  /** Returns the Unix milliseconds since which changes are read next; 0 for all. */
  long next() {
    boolean whole = reads % WHOLE_EVERY == 0;
    reads++;
    return whole ? 0 : newest - OVERLAP_MILLIS;
  }

  /**
   * Records that a row with the given time of change was read. The time is capped at the local
   * time, so that a clock that is ahead does not hide the rows of other regions.
   */
  void advance(long changedMillis, long nowMillis) {
    newest = Math.max(newest, Math.min(changedMillis, nowMillis));
  }
}
