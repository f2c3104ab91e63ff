package io.penstock.region;

/**
 * Leaves a sick database alone: shut by {@link #FAILURES} failures in a row, it lets one try pass
 * each {@link #PAUSE_NANOS}, and all once one went well. Not safe for threads.
 */
final class Breaker {
  static final int FAILURES = 3;
  static final long PAUSE_NANOS = 5_000_000_000L;

  private int failures;
  private long until;

  /** Returns whether the database may be asked now. */
  boolean lets(long now) {
    if (failures < FAILURES) {
      return true;
    }
    if (now < until) {
      return false;
    }
    until = now + PAUSE_NANOS;
    return true;
  }

  /** Takes note of how something went that it was asked for. */
  void told(boolean well, long now) {
    failures = well ? 0 : Math.min(FAILURES, failures + 1);
    until = now + PAUSE_NANOS;
  }

  /** Returns whether it is left alone. */
  boolean isOpen() {
    return failures >= FAILURES;
  }
}
