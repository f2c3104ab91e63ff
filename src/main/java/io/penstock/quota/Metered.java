package io.penstock.quota;

import io.penstock.cost.Measure;
import io.penstock.limit.Balance;
import io.penstock.limit.Limit;
import io.penstock.refusal.Reason;
import org.jspecify.annotations.Nullable;

/**
 * One limit of a quota.
 *
 * @param measure what it counts
 * @param limit the limit
 * @param reason with which it refuses where nobody waits for it; null where all do
 * @param others what other instances counted of it
 */
public record Metered(Measure measure, Limit limit, @Nullable Reason reason, Elsewhere others) {
  /** What other instances counted of one limit. */
  @FunctionalInterface
  public interface Elsewhere {
    /** There are no others. */
    Elsewhere NOTHING = now -> 0;

    /** Returns what counts of it in the window that ends at {@code now}, in the limit's measure. */
    long counted(long now);
  }

  /** A limit that is this instance's own. */
  public Metered(Measure measure, Limit limit, @Nullable Reason reason) {
    this(measure, limit, reason, Elsewhere.NOTHING);
  }

  /** A limit that is waited for. */
  public Metered(Measure measure, Limit limit) {
    this(measure, limit, null);
  }

  /**
   * Returns how much of it all instances together use, 0 to 1: what is used here when nobody else
   * uses any. What others hold for answers that run is known when it was counted.
   */
  public double utilization(long now) {
    double here = limit.utilization(now);
    long elsewhere = others.counted(now);
    if (elsewhere == 0) {
      return here;
    }
    Balance own = limit.balance(now);
    double all = (double) own.charged() + own.debt() + own.held() + elsewhere;
    return Math.max(here, Math.min(1, all / limit.capacity(now)));
  }
}
