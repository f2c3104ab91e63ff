package io.penstock.limit;

import org.jspecify.annotations.Nullable;

/**
 * What a provider said of a trailing window.
 *
 * @param ceiling how much more it takes
 * @param configured what is to be done once the limit it stated is in force no more; null when it
 *     states none that is lower
 * @param untilNanos the instant from which that is done
 */
record Taught(Ceiling ceiling, LimitSpec.@Nullable TrailingWindow configured, long untilNanos) {
  static final Taught NOTHING = new Taught(Ceiling.NONE, null, Long.MIN_VALUE);

  /** For how long a limit that a provider states is in force. */
  static final long LOWERED_NANOS = 120_000_000_000L;

  Taught with(Ceiling next) {
    return new Taught(next, configured, untilNanos);
  }

  /** The same when no limit is stated that is lower. */
  Taught unlowered() {
    return new Taught(ceiling, null, Long.MIN_VALUE);
  }

  /** What is to be done with a lower limit: its burst is the same share of it. */
  static LimitSpec.TrailingWindow lowered(LimitSpec.TrailingWindow configured, long limit) {
    long burst = (long) ((double) configured.burst() * limit / configured.capacity());
    return new LimitSpec.TrailingWindow(
        limit, configured.windowNanos(), configured.guardNanos(), Math.max(1, burst));
  }
}
