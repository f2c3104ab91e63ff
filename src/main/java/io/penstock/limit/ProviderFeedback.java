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
record ProviderFeedback(
    ProviderCeiling ceiling, LimitSpec.@Nullable TrailingWindow configured, long untilNanos) {
  static final ProviderFeedback NOTHING =
      new ProviderFeedback(ProviderCeiling.NONE, null, Long.MIN_VALUE);

  /** How long a limit that a provider states is in force. */
  static final long LOWERED_NANOS = 120_000_000_000L;

  ProviderFeedback with(ProviderCeiling next) {
    return new ProviderFeedback(next, configured, untilNanos);
  }

  /** Returns the same without a lower limit. */
  ProviderFeedback unlowered() {
    return new ProviderFeedback(ceiling, null, Long.MIN_VALUE);
  }

  /** Returns the spec for a lower limit. Its burst is the same share of it. */
  static LimitSpec.TrailingWindow lowered(LimitSpec.TrailingWindow configured, long limit) {
    long burst = (long) ((double) configured.burst() * limit / configured.capacity());
    return new LimitSpec.TrailingWindow(
        limit, configured.windowNanos(), configured.guardNanos(), Math.max(1, burst));
  }
}
