package io.penstock.quota;

import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.SliceDemand;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Denial by a limit or a gate of a quota.
 *
 * @param metered the limit; null for a gate, which gives no answer
 * @param weight the amount that was requested
 * @param unseen the part of it that was requested for input that the body does not contain, ≥ 0
 * @param answer the answer of the limit; null for a gate
 */
record Denial(
    @Nullable MeteredLimit metered, Weight weight, long unseen, @Nullable LimitAnswer answer) {
  static final Denial GATE = new Denial(null, Weight.exactly(0), 0, null);

  /**
   * Returns the demand to wait for, if it will be known only with the next round whether there are
   * slices for the request; else null.
   */
  CallerAccount.@Nullable AwaitingSlices awaitingSlices(long now) {
    if (metered == null || !(answer instanceof LimitAnswer.Wait(long begin))) {
      return null;
    }
    Limit limit = metered.limit();
    SliceDemand sliceDemand =
        limit.sharing().isAwaitingSlices(weight.needed(), now) ? limit.sharing().demand() : null;
    return sliceDemand == null ? null : new CallerAccount.AwaitingSlices(sliceDemand, begin);
  }

  /** Informs the regions that share the limit that the request is refused. Returns this object. */
  Denial reportToRegions(long now) {
    if (metered != null) {
      metered.limit().sharing().recordDenial(weight, now);
    }
    return this;
  }

  /** Returns the refusal for a request that does not wait. */
  Refusal refusal(String quota, long now) {
    if (answer instanceof LimitAnswer.Refuse(long capacity)) {
      return Refusal.of(
          RefusalReason.COST_EXCEEDS_CAPACITY,
          "%s: token cost %d exceeds capacity %d".formatted(quota, weight.least(), capacity));
    }
    Refusal unavailable = metered == null ? null : metered.limit().sharing().refusal();
    if (unavailable != null) {
      return unavailable;
    }
    long until = answer instanceof LimitAnswer.Wait(long instant) ? instant : Ticker.NEVER;
    long wait = until == Ticker.NEVER ? Refusal.UNKNOWN : Math.max(0, until - now);
    if (metered != null && metered.limit().sharing().isBarred(weight.needed(), now)) {
      return new Refusal(
          RefusalReason.LIMIT_RECOVERING,
          "%s: Redis has lost data, and an instance that is gone may have used up the limit of %d;"
                  .formatted(quota, metered.limit().capacity())
              + " it grants nothing more until its window ends",
          wait);
    }
    RefusalReason refusalReason = reason(quota, metered);
    Refusal ofBudget = metered == null ? null : budgetRefusal(quota, metered, wait, now);
    return ofBudget != null
        ? ofBudget
        : new Refusal(refusalReason, quota + ": " + (metered == null ? "" : metered.words()), wait);
  }

  /**
   * Returns the refusal by a budget that is not used up, but in which the largest output that the
   * request may have does not fit; null when it is used up. This is not known of a shared budget,
   * of which other instances keep parts.
   */
  private @Nullable Refusal budgetRefusal(String quota, MeteredLimit budget, long wait, long now) {
    long capacity = budget.limit().capacity();
    long left = capacity - budget.limit().balance(now).charged();
    boolean shared = budget.limit().sharing().demand() != null;
    if (!budget.isBudget() || shared || weight.taken() > left) {
      return null;
    }
    RefusalReason refusalReason = reason(quota, budget);
    long stated = weight.amount() - unseen;
    return stated <= left
        ? new Refusal(
            refusalReason,
            "%s: what is left of its limit of %d is kept for its requests that still run: %s"
                .formatted(quota, capacity, refusalReason.code()),
            Refusal.DEFAULT_RETRY_NANOS,
            false)
        : new Refusal(
            refusalReason,
            "%s: of its limit of %d tokens %d are left, and the request may use %d; state a smaller"
                    .formatted(quota, capacity, left, stated)
                + " maximum of output: "
                + refusalReason.code(),
            wait);
  }

  static RefusalReason reason(String quota, @Nullable MeteredLimit meteredLimit) {
    RefusalReason refusalReason = meteredLimit == null ? null : meteredLimit.reason();
    if (refusalReason == null) {
      throw new IllegalStateException(quota + " refuses, and has no reason to");
    }
    return refusalReason;
  }
}
