package io.penstock.quota;

import io.penstock.cost.Measure;
import io.penstock.limit.Limit;
import io.penstock.refusal.Reason;
import org.jspecify.annotations.Nullable;

/**
 * One limit of a quota.
 *
 * @param measure what it counts
 * @param limit the limit
 * @param reason with which it refuses where nobody waits for it; null where all do
 */
public record Metered(Measure measure, Limit limit, @Nullable Reason reason) {
  /** A limit that is waited for. */
  public Metered(Measure measure, Limit limit) {
    this(measure, limit, null);
  }
}
