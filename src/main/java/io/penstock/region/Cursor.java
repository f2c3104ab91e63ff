package io.penstock.region;

/**
 * From where on a table is read: what was changed since the newest row that was seen, and some time
 * before, because it is each region's own clock that says when, and rows take their time to get
 * here; now and then all of it. Not safe for threads.
 */
final class Cursor {
  /** Clocks of two regions are further apart, and rows later than that, only now and then. */
  static final long OVERLAP_MILLIS = 120_000;

  private static final int WHOLE_EVERY = 12;

  private long newest;
  private int reads;

  /** Returns the Unix milliseconds from which on changes are read next. */
  long next() {
    boolean whole = reads % WHOLE_EVERY == 0;
    reads++;
    return whole ? 0 : newest - OVERLAP_MILLIS;
  }

  /**
   * Takes note of a row that was changed then, or says so: no clock that is ahead of the own one
   * hides what others say.
   */
  void saw(long changedMillis, long nowMillis) {
    newest = Math.max(newest, Math.min(changedMillis, nowMillis));
  }
}
