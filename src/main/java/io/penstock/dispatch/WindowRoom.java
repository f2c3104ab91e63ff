package io.penstock.dispatch;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import org.jspecify.annotations.Nullable;

/**
 * Room of a token window at an instant.
 *
 * @param capacityTokens the tokens that each window admits, ≥ 1
 * @param remainingTokens the tokens that the running window still admits, ≥ 0
 */
public record WindowRoom(long capacityTokens, long remainingTokens) {
  /** Returns the rest of an endpoint's own limit, or null when that is no token window. */
  static @Nullable WindowRoom of(Quota own, long now) {
    for (MeteredLimit metered : own.limits()) {
      Limit limit = metered.limit();
      if (limit.spec() instanceof LimitSpec.FixedWindow window) {
        LimitBalance limitBalance = limit.balance(now);
        long alone =
            Math.max(0, window.capacity() - limitBalance.charged() - limitBalance.reserved());
        return new WindowRoom(window.capacity(), Math.min(alone, limit.remainder(now).amount()));
      }
    }
    return null;
  }
}
