package io.penstock.quota;

import io.penstock.cost.Measure;

/**
 * What a provider says of one of its limits with an answer.
 *
 * @param measure what the limit counts
 * @param limit what it allows a minute, &gt; 0, or {@link #UNSAID}
 * @param remaining what is left of it, ≥ 0, or {@link #UNSAID}
 * @param resetNanos in how long it is whole again, ≥ 0, or {@link #UNSAID}
 */
public record Standing(Measure measure, long limit, long remaining, long resetNanos) {
  /** Nothing is said. */
  public static final long UNSAID = -1;
}
