package io.penstock.quota;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.refusal.RefusalReason;
import org.jspecify.annotations.Nullable;

/**
 * A limit within a quota.
 *
 * @param measure what it counts
 * @param limit the limit
 * @param reason the reason of its refusals where requests do not wait; null where all requests wait
 * @param peerUsage counts of other instances
 */
public record MeteredLimit(
    LimitMeasure measure, Limit limit, @Nullable RefusalReason reason, PeerUsage peerUsage) {
  /** Counts of other instances for one limit. */
  @FunctionalInterface
  public interface PeerUsage {
    /** No other instances. */
    PeerUsage NOTHING = now -> 0;

    /**
     * Returns what they counted in the window that ends at {@code now}, in the measure of the
     * limit.
     */
    long counted(long now);
  }

  /** Creates a limit that this instance does not share. */
  public MeteredLimit(LimitMeasure measure, Limit limit, @Nullable RefusalReason reason) {
    this(measure, limit, reason, PeerUsage.NOTHING);
  }

  /** Creates a limit for which requests wait. */
  public MeteredLimit(LimitMeasure measure, Limit limit) {
    this(measure, limit, null);
  }

  /**
   * Returns the utilization of the limit by all instances together, 0 to 1. It is the local
   * utilization when other instances use nothing. Output that other instances have reserved for
   * running answers is included only once they have counted it.
   */
  public double utilization(long now) {
    double here = limit.utilization(now);
    long elsewhere = peerUsage.counted(now);
    if (elsewhere == 0) {
      return here;
    }
    LimitBalance own = limit.balance(now);
    double all = (double) own.charged() + own.debt() + own.reserved() + elsewhere;
    return Math.max(here, Math.min(1, all / limit.capacity(now)));
  }
}
