package io.penstock.limit;

import org.jspecify.annotations.Nullable;

/**
 * Lower limits and remainders of a trailing window that a provider's answers have taught.
 *
 * @param ceiling the most that may still be taken
 * @param configured the spec to restore when a lower limit is no longer in force; null when no
 *     lower limit is known
 * @param untilNanos the instant from which it is restored, or from which the next step of {@code
 *     refusals} is in force
 * @param refusals the lower limit that refusals have taught; null when the provider has stated the
 *     lower limit itself, or none is known
 * @param raises how often a limit that refusals had lowered was raised again
 */
record ProviderFeedback(
    ProviderCeiling ceiling,
    LimitSpec.@Nullable TrailingWindow configured,
    long untilNanos,
    @Nullable RefusalCeiling refusals,
    long raises) {
  static final ProviderFeedback NOTHING =
      new ProviderFeedback(ProviderCeiling.NONE, null, Long.MIN_VALUE, null, 0);

  /** How long a limit that a provider states is in force. */
  static final long LOWERED_NANOS = 120_000_000_000L;

  ProviderFeedback with(ProviderCeiling next) {
    return new ProviderFeedback(next, configured, untilNanos, refusals, raises);
  }

  /** Returns the same without a lower limit. */
  ProviderFeedback unlowered() {
    return new ProviderFeedback(ceiling, null, Long.MIN_VALUE, null, raises);
  }

  /** Returns the same with a lower limit that the provider has stated. */
  ProviderFeedback stated(LimitSpec.TrailingWindow whole, long until) {
    return new ProviderFeedback(ceiling, whole, until, null, raises);
  }

  /**
   * Returns the same with a lower limit that refusals have taught.
   *
   * @param from the instant from which {@code next} is in force
   */
  ProviderFeedback refused(LimitSpec.TrailingWindow whole, RefusalCeiling next, long from) {
    long until = AmountBound.sum(from, next.windows() * whole.windowNanos());
    return new ProviderFeedback(ceiling, whole, until, next, raises + (next.probes() ? 1 : 0));
  }

  /** Returns the spec for a lower limit. Its burst is the same share of it. */
  static LimitSpec.TrailingWindow lowered(LimitSpec.TrailingWindow configured, long limit) {
    long burst = (long) ((double) configured.burst() * limit / configured.capacity());
    return new LimitSpec.TrailingWindow(
        limit, configured.windowNanos(), configured.guardNanos(), Math.max(1, burst));
  }
}
