package io.penstock.region;

/**
 * Circuit breaker of the database. {@link #FAILURES} failures in a row open it; while it is open,
 * it lets one attempt pass every {@link #PAUSE_NANOS}; one success closes it. Not thread-safe.
 */
final class DatabaseBreaker {
  static final int FAILURES = 3;
  static final long PAUSE_NANOS = 5_000_000_000L;

  private int failures;
  private long until;

  /**
   * Returns whether the database may be asked now. While open, each true answer uses up the attempt
   * of the current pause.
   */
  boolean tryAcquire(long now) {
    if (failures < FAILURES) {
      return true;
    }
    if (now < until) {
      return false;
    }
    until = now + PAUSE_NANOS;
    return true;
  }

  /** Records how a request to the database ended. */
  void record(boolean well, long now) {
    failures = well ? 0 : Math.min(FAILURES, failures + 1);
    until = now + PAUSE_NANOS;
  }
}
