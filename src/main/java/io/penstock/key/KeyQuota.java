package io.penstock.key;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Quota of a key or group, with the ids of its limits, which it forgets when it ends. Changed by
 * one thread at a time.
 */
final class KeyQuota {
  private final LimitSource source;
  private final Quota quota;
  private Set<LimitId> ids = Set.of();

  KeyQuota(LimitSource source, Quota quota) {
    this.source = source;
    this.quota = quota;
  }

  Quota quota() {
    return quota;
  }

  /**
   * Applies other limits. Charges of a limit that stays are kept; limits that are not in {@code
   * terms} are forgotten.
   *
   * @param used returns what a budget that is new here counts at once, in tokens
   */
  void applyLimits(List<KeyLimit> terms, long now, ToLongFunction<LimitSpec.Day> used) {
    Set<LimitId> next = new HashSet<>();
    List<MeteredLimit> limits = new ArrayList<>();
    for (KeyLimit term : terms) {
      next.add(term.id());
      Limit limit = source.limit(term.id(), term.spec(), now);
      MeteredLimit metered = new MeteredLimit(term.id().measure(), limit, term.reason());
      limits.add(metered);
      if (metered.isBudget()
          && !ids.contains(term.id())
          && term.spec() instanceof LimitSpec.Day budget) {
        long before = Math.min(used.applyAsLong(budget), Cost.MAX_TOKENS);
        if (before > 0) {
          limit.charge(before, 0, now);
        }
      }
    }
    quota.change(ChargeRule.TOTAL, limits);
    ids.stream().filter(id -> !next.contains(id)).forEach(source::forget);
    ids = next;
  }

  /** Forgets its limits. */
  void forget() {
    ids.forEach(source::forget);
    ids = Set.of();
  }

  /** Returns whether no charge or reservation counts any more. */
  boolean owesNothing(long now) {
    for (MeteredLimit metered : quota.limits()) {
      Limit limit = metered.limit();
      if (limit.fullyFreeAt(now) > now || limit.balance(now).reserved() != 0) {
        return false;
      }
    }
    return true;
  }
}
