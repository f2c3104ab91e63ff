package io.penstock.quota;

import io.penstock.cost.LimitMeasure;

/**
 * Status of one of a provider's limits, as reported with an answer.
 *
 * @param measure what the limit counts
 * @param limit the amount allowed per minute, &gt; 0, or {@link #UNSTATED}
 * @param remaining the amount left, ≥ 0, or {@link #UNSTATED}
 * @param resetNanos the time until all of it is available again, ≥ 0, or {@link #UNSTATED}
 */
public record ProviderStatus(LimitMeasure measure, long limit, long remaining, long resetNanos) {
  /** The provider did not report this. */
  public static final long UNSTATED = -1;
}
