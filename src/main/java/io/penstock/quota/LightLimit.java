package io.penstock.quota;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limit on calls that cost nothing. A key has one, and an endpoint without keys. It is neither
 * shared nor saved, and takes memory only once there was such a call. Safe from any thread.
 */
public final class LightLimit {
  /** The window of such a limit: a minute. */
  public static final long WINDOW_NANOS = 60_000_000_000L;

  private final Quota quota;

  /**
   * Creates a limit that owes nothing.
   *
   * @param owner whose it is, for refusals
   */
  public LightLimit(String owner) {
    this.quota =
        new Quota(
            owner + " for calls that cost nothing", ChargeRule.TOTAL, List.<MeteredLimit>of());
  }

  /**
   * Takes one call, or returns its refusal.
   *
   * @param most how many calls it admits in a window; 0 is unlimited
   */
  public @Nullable Refusal take(PromiseHolder client, long most, long windowNanos, long now) {
    if (most == 0) {
      return null;
    }
    admit(most, windowNanos, now);
    Denial denial = quota.charge(Cost.NO_TOKENS, now, new ArrayList<>(1));
    return denial == null
        ? null
        : CallerAccount.denied(denial, quota, List.of(quota), Cost.NO_TOKENS, client, now);
  }

  private synchronized void admit(long most, long windowNanos, long now) {
    LimitSpec spec = LimitSpec.TrailingWindow.unpaced(most, windowNanos);
    if (quota.limits().isEmpty()) {
      Limit limit = new Limit(spec, now);
      MeteredLimit metered =
          new MeteredLimit(LimitMeasure.REQUESTS, limit, RefusalReason.KEY_LIGHT_RPM);
      quota.change(ChargeRule.TOTAL, List.of(metered));
    } else {
      quota.limits().getFirst().limit().resize(spec, now);
    }
  }

  /** Returns whether no call counts any more. */
  public boolean owesNothing(long now) {
    return quota.limits().stream().allMatch(each -> each.limit().fullyFreeAt(now) <= now);
  }
}
