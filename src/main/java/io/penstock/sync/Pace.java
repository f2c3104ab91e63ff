package io.penstock.sync;

/**
 * When rounds are sent, in nanoseconds.
 *
 * @param intervalNanos between two rounds, give or take a fifth
 * @param ttlNanos for how long a slice may be spent, from sending the round it was granted in
 * @param timeoutNanos after which a round is given up
 */
public record Pace(long intervalNanos, long ttlNanos, long timeoutNanos) {
  /** At most 50 rounds a second. */
  private static final long LEAST_NANOS = 20_000_000;

  private static final int INTERVALS_AHEAD = 3;

  public Pace {
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

  /** The time for which slices are asked ahead. */
  long horizonNanos() {
    return Math.min(INTERVALS_AHEAD * intervalNanos, ttlNanos / 2);
  }

  /** After which slices that are still to be spent are asked for again. */
  long renewalNanos() {
    return ttlNanos / 3;
  }

  /** After which a member without anything to say says that it lives. */
  long heartbeatNanos() {
    return ttlNanos / 4;
  }
}
