package io.penstock.slices;

/**
 * Timing of rounds, in nanoseconds.
 *
 * @param intervalNanos between two rounds, plus or minus a fifth
 * @param ttlNanos lifetime of a slice, from sending the round that granted it
 * @param timeoutNanos after which a round is given up
 */
public record SyncPace(long intervalNanos, long ttlNanos, long timeoutNanos) {
  /** At most 50 rounds a second. */
  private static final long LEAST_NANOS = 20_000_000;

  private static final int INTERVALS_AHEAD = 3;

  public SyncPace {
    if (intervalNanos < LEAST_NANOS || timeoutNanos < 1 || timeoutNanos > ttlNanos) {
      throw new IllegalArgumentException(
          "an interval of %d, a timeout of %d and a ttl of %d ns, expected at least 20 ms between"
                  .formatted(intervalNanos, timeoutNanos, ttlNanos)
              + " rounds, given up before their slices end");
    }
  }

  long leastNanos() {
    return LEAST_NANOS;
  }

  /** Returns the time for which slices are asked ahead. */
  long horizonNanos() {
    return Math.min(INTERVALS_AHEAD * intervalNanos, ttlNanos / 2);
  }

  /** Returns the age at which slices with something left are asked for again. */
  long renewalNanos() {
    return ttlNanos / 3;
  }

  /** Returns the time after which a member with nothing to report sends a heartbeat. */
  long heartbeatNanos() {
    return ttlNanos / 4;
  }
}
