package io.penstock.limit;

import org.jspecify.annotations.Nullable;

/**
 * A provider's statements about a trailing window, as far as they are in force.
 *
 * @param ceiling the most that may still be taken
 * @param configured the spec to restore when a lower limit is no longer in force; null when no
 *     lower limit is stated
 * @param untilNanos the instant from which it is restored
 */
record Taught(Ceiling ceiling, LimitSpec.@Nullable TrailingWindow configured, long untilNanos) {
  static final Taught NOTHING = new Taught(Ceiling.NONE, null, Long.MIN_VALUE);

  /** How long a limit that a provider states is in force. */
  static final long LOWERED_NANOS = 120_000_000_000L;

  Taught with(Ceiling next) {
    return new Taught(next, configured, untilNanos);
  }

  /** Returns the same without a lower limit. */
  Taught unlowered() {
    return new Taught(ceiling, null, Long.MIN_VALUE);
  }

  /** Returns the spec for a lower limit. Its burst is the same share of it. */
  static LimitSpec.TrailingWindow lowered(LimitSpec.TrailingWindow configured, long limit) {
    long burst = (long) ((double) configured.burst() * limit / configured.capacity());
    return new LimitSpec.TrailingWindow(
        limit, configured.windowNanos(), configured.guardNanos(), Math.max(1, burst));
  }
}
