package io.penstock.limit;

import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Lower limits and remainders of a trailing window that a provider's answers have taught.
 *
 * @param ceiling the most that may still be taken
 * @param configured the spec in force while no lower limit is
 * @param untilNanos the instant from which {@code configured} is in force again, or the next step
 *     of {@code refusals}; {@link Ticker#NEVER} while no lower limit is in force
 * @param refusals the lower limit that refusals have taught; null when the provider has stated the
 *     lower limit itself, or none is known
 * @param raises how often a limit that refusals had lowered was raised again
 */
record ProviderFeedback(
    ProviderCeiling ceiling,
    LimitSpec.TrailingWindow configured,
    long untilNanos,
    @Nullable RefusalCeiling refusals,
    long raises) {
  /** How long a limit that a provider states is in force. */
  static final long LOWERED_NANOS = 120_000_000_000L;

  static ProviderFeedback nothing(LimitSpec.TrailingWindow configured) {
    return new ProviderFeedback(ProviderCeiling.NONE, configured, Ticker.NEVER, null, 0);
  }

  /** Returns whether the provider has stated the lower limit that is in force. */
  boolean isStated() {
    return untilNanos != Ticker.NEVER && refusals == null;
  }

  ProviderFeedback with(ProviderCeiling next) {
    return new ProviderFeedback(next, configured, untilNanos, refusals, raises);
  }

  /** Returns the same without a lower limit. */
  ProviderFeedback unlowered(LimitSpec.TrailingWindow whole) {
    return new ProviderFeedback(ceiling, whole, Ticker.NEVER, null, raises);
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
  ProviderFeedback refused(RefusalCeiling next, long from) {
    long until = AmountBound.sum(from, next.windows() * configured.windowNanos());
    return new ProviderFeedback(ceiling, configured, until, next, raises + (next.probes() ? 1 : 0));
  }

  /** Returns the configured spec with a lower limit. Its burst is the same share of it. */
  LimitSpec.TrailingWindow lowered(long limit) {
    long burst = (long) ((double) configured.burst() * limit / configured.capacity());
    return new LimitSpec.TrailingWindow(
        limit, configured.windowNanos(), configured.guardNanos(), Math.max(1, burst));
  }
}
