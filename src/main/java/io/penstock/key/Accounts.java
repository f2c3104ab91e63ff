package io.penstock.key;

import io.penstock.quota.Account;
import io.penstock.quota.LimitSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** What keys and groups may spend, made when a key is used first. Safe from any thread. */
@SuppressWarnings("UnusedVariable")
final class Accounts {
  private final LimitSource limits;
  private final long windowNanos;
  private final ConcurrentHashMap<String, Account> byKey = new ConcurrentHashMap<>();
  private volatile Collection<GroupSpec> groups = List.of();

  Accounts(LimitSource limits, long windowNanos) {
    this.limits = limits;
    this.windowNanos = windowNanos;
  }

  /** Takes over what groups may spend; the keys of that name are those that are left. */
  void configure(Collection<GroupSpec> all, long now) {
    groups = List.copyOf(all);
  }

  /** Returns what a key may spend, as it is now. */
  Account of(KeySpec key) {
    return byKey.computeIfAbsent(
        key.name(), name -> new Account(name, key.waits(), (model, now) -> List.of()));
  }
}
