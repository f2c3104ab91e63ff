package io.penstock.key;

import io.penstock.cost.ChargeRule;
import io.penstock.limit.Limit;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
   */
  void applyLimits(List<KeyLimit> terms, long now) {
    Set<LimitId> next = new HashSet<>();
    List<MeteredLimit> limits = new ArrayList<>();
    for (KeyLimit term : terms) {
      next.add(term.id());
      Limit limit = source.limit(term.id(), term.spec(), now);
      limits.add(new MeteredLimit(term.id().measure(), limit, term.reason()));
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
