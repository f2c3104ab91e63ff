package io.penstock.limit;

/**
 * A provider's statement about a limit, from its answer to one request. It is taken to hold for the
 * instant at which the request was released: it does not include what was taken later.
 *
 * @param totalTaken of the request's receipt
 * @param atNanos when the request was released
 * @param limit the amount that the provider allows in a window, &gt; 0, or {@link #UNSTATED}
 * @param remaining what was left, ≥ 0, or {@link #UNSTATED}
 * @param resetNanos the time from now until the limit is whole again, ≥ 0, or {@link #UNSTATED};
 *     without it {@code remaining} is ignored, because nobody knows for how long it holds
 */
public record ProviderNotice(
    long totalTaken, long atNanos, long limit, long remaining, long resetNanos) {
  /** Not stated. */
  public static final long UNSTATED = -1;

  boolean statesLimit() {
    return limit > 0;
  }

  boolean statesRemaining() {
    return remaining >= 0 && resetNanos >= 0;
  }
}
