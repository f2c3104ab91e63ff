package io.penstock.key;

import io.penstock.cost.ChargeRule;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelNames;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.LimitUse;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.SharingMode;
import io.penstock.tenant.PromiseHolder;
import io.penstock.tenant.SharedState;
import io.penstock.time.WallClock;
import io.penstock.usage.UsedTokens;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Accounts of keys, and quotas of groups. A key has an account once it has been used, and quotas
 * while it has requests or charges. A key that is removed keeps its account for as long as it has
 * quotas: its requests are settled there, and if a key of the same identity is added again, it
 * finds what was spent. Safe from any thread.
 */
final class KeyAccounts {
  private final LimitSource limits;
  private final UsedTokens usedTokens;
  private final Predicate<@Nullable SharingMode> waitsByDefault;
  private final ConfiguredLimits configuredLimits;

  /** Accounts by the owner of their limits. */
  @SharedState("accounts of keys")
  private final ConcurrentHashMap<String, KeyAccount> byOwner = new ConcurrentHashMap<>();

  /** Accounts with quotas, in the order of the idle check. */
  @SharedState("accounts of keys")
  private final Queue<KeyAccount> open = new ConcurrentLinkedQueue<>();

  @SharedState("accounts of keys")
  private volatile Map<String, KeyQuota> groups = Map.of();

  @SharedState("accounts of keys")
  private volatile Map<String, GroupSpec> groupSpecs = Map.of();

  /** Returns the present key with limits of an owner, null when there is none. */
  private volatile Function<String, @Nullable KeySpec> keys = owner -> null;

  /**
   * Creates accounts without keys.
   *
   * @param waitsByDefault says whether requests wait for limits that instances share in that way,
   *     null being the default way, where neither their key nor its group says it
   */
  KeyAccounts(
      LimitSource limits,
      long windowNanos,
      UsedTokens usedTokens,
      Predicate<@Nullable SharingMode> waitsByDefault,
      WallClock wall) {
    this.limits = limits;
    this.usedTokens = usedTokens;
    this.waitsByDefault = waitsByDefault;
    this.configuredLimits = new ConfiguredLimits(windowNanos, wall);
  }

  /** Returns the limits of a key, those for {@code model} last. */
  List<KeyLimit> limits(KeySpec key, @Nullable String model) {
    List<KeyLimit> all = new ArrayList<>(configuredLimits.of(key));
    String named =
        model == null ? null : ModelNames.match(key.terms().models()::containsKey, model);
    KeySpec.ModelLimits ofModel = named == null ? null : key.terms().models().get(named);
    if (named != null && ofModel != null) {
      all.addAll(configuredLimits.of(key, named, ofModel));
    }
    return all;
  }

  /** Applies the configured groups; charges of groups that stay are kept. */
  synchronized void configure(Collection<GroupSpec> all, long now) {
    Map<String, KeyQuota> next = new HashMap<>();
    for (GroupSpec group : all) {
      KeyQuota known = groups.get(group.name());
      KeyQuota keyQuota =
          known == null
              ? new KeyQuota(
                  limits, new Quota("group " + group.name(), ChargeRule.TOTAL, List.of()))
              : known;
      keyQuota.applyLimits(
          configuredLimits.of(group), now, budget -> known == null ? 0 : used(group, budget));
      next.put(group.name(), keyQuota);
    }
    Map<String, KeyQuota> before = groups;
    groups = Map.copyOf(next);
    groupSpecs = all.stream().collect(Collectors.toUnmodifiableMap(GroupSpec::name, each -> each));
    before.forEach(
        (name, keyQuota) -> {
          if (!next.containsKey(name)) {
            keyQuota.forget();
          }
        });
  }

  private long used(GroupSpec group, LimitSpec.Day budget) {
    return usedTokens.ofGroup(group.name(), budget.windowNanos() > LimitSpec.Day.NANOS);
  }

  /**
   * Returns whether requests of a key wait for its limits instead of being refused. Those of a key
   * that has none, and does not say so, share lanes with others.
   */
  boolean waits(KeySpec key) {
    KeySpec.LimitPolicy policy = key.terms().policy();
    Boolean own = policy.waits();
    if (own != null) {
      return own;
    }
    GroupSpec group = groupSpec(key.terms().group());
    Boolean ofGroup = group == null ? null : group.waits();
    boolean otherwise = ofGroup == null ? waitsByDefault.test(policy.sharing()) : ofGroup;
    boolean limited = key.terms().isLimited() || (group != null && group.isLimited());
    return limited && otherwise && !policy.strictAfterDenial();
  }

  /** Returns what keys and groups have used. */
  UsedTokens usedTokens() {
    return usedTokens;
  }

  /**
   * Applies the present keys to all accounts, and wakes their waiters. Drops the accounts of
   * removed keys that have no quotas and no requests; what is left of others is dropped at a later
   * change.
   *
   * @param keys returns the present key with limits of an owner, null when there is none
   * @param revocations returns what becomes of the requests of a key that is not there any more
   */
  synchronized void follow(
      Function<String, @Nullable KeySpec> keys,
      Function<KeySpec, Revocation> revocations,
      long now) {
    this.keys = keys;
    byOwner.forEach(
        (owner, account) -> {
          KeySpec spec = keys.apply(owner);
          if (spec == null) {
            account.end(revocations);
            account.ifUnused(() -> byOwner.remove(owner, account));
          } else {
            account.change(spec, now);
          }
        });
  }

  /** Returns the Unix time in milliseconds of the latest use of a key; 0 if there was none. */
  long usedAtMillis(KeySpec key) {
    KeyAccount known = byOwner.get(key.identity().limitOwner());
    return known == null ? 0 : known.account().usedAtMillis();
  }

  /** Returns the use of the budget of a key; empty while nothing of it counts, or it has none. */
  List<LimitUse> budgetUses(KeySpec key, long now) {
    KeyAccount known = byOwner.get(key.identity().limitOwner());
    return known == null ? List.of() : known.budgetUses(now);
  }

  /** Returns the use of the budgets of keys with certain names, where something of it counts. */
  List<LimitUse> budgetUses(Predicate<String> names, long now) {
    return open.stream()
        .filter(account -> names.test(account.account().name()))
        .flatMap(account -> account.budgetUses(now).stream())
        .toList();
  }

  /** Gives the budget of a key back as a whole; returns false if others share it. */
  boolean resetBudget(KeySpec key, long now) {
    return accountOf(key).resetBudget(now);
  }

  /** Returns the account of a key. */
  CallerAccount of(KeySpec key) {
    return accountOf(key).account();
  }

  /** Takes a call of a key that costs nothing; returns its refusal, or null when it may go. */
  @Nullable Refusal takeLight(KeySpec key, PromiseHolder client, long now) {
    return accountOf(key).takeLight(client, now);
  }

  private KeyAccount accountOf(KeySpec key) {
    KeyAccount known = byOwner.get(key.identity().limitOwner());
    return known == null ? made(key) : known;
  }

  /**
   * Creates the account of a key. A caller that looked the key up just before a change must not
   * restore the old key, so the latest one is applied.
   */
  private KeyAccount made(KeySpec key) {
    KeyAccount made =
        byOwner.computeIfAbsent(
            key.identity().limitOwner(),
            absent -> new KeyAccount(this, limits, configuredLimits, key));
    KeySpec seen = key;
    KeySpec latest = latest(key);
    while (!latest.equals(seen)) {
      made.use(latest);
      seen = latest;
      latest = latest(key);
    }
    return made;
  }

  private KeySpec latest(KeySpec key) {
    KeySpec latest = keys.apply(key.identity().limitOwner());
    return latest == null ? key : latest;
  }

  /** Returns the group with that name, or null when there is none. */
  @Nullable GroupSpec groupSpec(@Nullable String name) {
    return name == null ? null : groupSpecs.get(name);
  }

  /** Returns the quota of the group with that name, or null when there is none. */
  @Nullable Quota group(@Nullable String name) {
    KeyQuota keyQuota = name == null ? null : groups.get(name);
    return keyQuota == null ? null : keyQuota.quota();
  }

  /** Adds an account that now has quotas to the idle check. */
  void opened(KeyAccount account) {
    open.add(account);
  }

  /**
   * Checks one account with quotas, and drops the quotas if the account is idle. Called with each
   * request, so that idle quotas go as fast as new ones come.
   */
  void tidy(long now) {
    KeyAccount next = open.poll();
    if (next != null && next.closeIfIdle(now)) {
      open.add(next);
    }
  }

  /** Returns the number of keys with quotas. */
  int open() {
    return open.size();
  }

  /** Returns the number of accounts. */
  int size() {
    return byOwner.size();
  }
}
