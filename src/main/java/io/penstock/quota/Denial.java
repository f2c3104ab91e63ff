package io.penstock.quota;

import io.penstock.cost.Cost;
import io.penstock.cost.Weight;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSharing;
import io.penstock.limit.ShareDemand;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Denial by a limit or a gate of a quota.
 *
 * @param metered the limit; null for a gate, which gives no answer
 * @param weight the amount that was requested
 * @param cost the cost of the request
 * @param answer the answer of the limit; null for a gate
 */
record Denial(
    @Nullable MeteredLimit metered, Weight weight, Cost cost, @Nullable LimitAnswer answer) {
  static final Denial GATE = new Denial(null, Weight.exactly(0), Cost.NO_TOKENS, null);

  /**
   * Returns the demand to wait for, if only the store can tell whether there is a larger share for
   * the request, or if one has come since the limit denied it; else null.
   */
  CallerAccount.@Nullable AwaitingShare awaitingShare(long now) {
    if (metered == null || !(answer instanceof LimitAnswer.Wait(long begin))) {
      return null;
    }
    LimitSharing sharing = metered.limit().sharing();
    ShareDemand demand = sharing.contact() == null ? null : sharing.demand();
    if (demand != null && metered.admits(weight, now)) {
      return new CallerAccount.AwaitingShare(demand, now);
    }
    return demand != null && sharing.isAwaitingShare(weight.needed(), now)
        ? new CallerAccount.AwaitingShare(demand, begin)
        : null;
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
    if (metered != null && metered.limit().sharing().isUnavailable(weight.needed(), now)) {
      return new Refusal(
          RefusalReason.LIMIT_UNAVAILABLE,
          "%s: %s; Redis is away, and this instance has used up its share"
              .formatted(quota, metered.words()),
          wait);
    }
    RefusalReason refusalReason = reason(quota, metered);
    Refusal ofBudget = metered == null ? null : budgetRefusal(quota, metered, wait, now);
    return ofBudget != null
        ? ofBudget
        : new Refusal(refusalReason, quota + ": " + (metered == null ? "" : metered.words()), wait);
  }

  /**
   * Returns the refusal by a budget: it is used up, or too little is left of it for the request, or
   * requests that run keep what is left. Requests at all instances keep parts of a shared budget,
   * which are not left. Null for other limits.
   */
  private @Nullable Refusal budgetRefusal(
      String quota, MeteredLimit budget, long untilRoom, long now) {
    if (!budget.isBudget()) {
      return null;
    }
    RefusalReason refusalReason = reason(quota, budget);
    boolean shared = budget.limit().sharing().isShared();
    long left = shared ? budget.limit().remainder(now).amount() : budget.left(now);
    long ends = budget.limit().dayEndsAt(now);
    long wait = ends == Ticker.NEVER ? untilRoom : Math.max(0, ends - now);
    String all = quota + ": " + budget.words();
    if (left <= 0) {
      return new Refusal(refusalReason, all, wait);
    }
    String rest = all + ", " + left + " of them left";
    if (budget.needed(weight, cost) <= left) {
      return new Refusal(
          refusalReason,
          rest + ", and requests that run keep them",
          Refusal.DEFAULT_RETRY_NANOS,
          false);
    }
    long output = cost.neededOutputTokens();
    return new Refusal(
        refusalReason,
        "%s; the request needs %d of input and %d of output, and %s"
            .formatted(rest, cost.inputTokens(), output, fitting(left)),
        wait);
  }

  /** Returns what fits into the rest of a budget that has too little left for the request. */
  private String fitting(long left) {
    long output = left - cost.inputTokens();
    if (output > 0 && cost.neededOutputTokens() > cost.outputTokens()) {
      return "a maximum of output of at most " + output + " fits";
    }
    long input = left - cost.neededOutputTokens();
    return input > 0 ? "at most " + input + " of input fit" : "not even its output fits";
  }

  static RefusalReason reason(String quota, @Nullable MeteredLimit meteredLimit) {
    RefusalReason refusalReason = meteredLimit == null ? null : meteredLimit.reason();
    if (refusalReason == null) {
      throw new IllegalStateException(quota + " refuses, and has no reason to");
    }
    return refusalReason;
  }
}
