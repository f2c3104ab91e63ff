package io.penstock.key;

import io.penstock.model.ModelNames;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.LightLimit;
import io.penstock.quota.LimitUse;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitSource;
import io.penstock.tenant.PromiseHolder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Account of one key. It has quotas only while requests are inside or their charges still count, so
 * an idle key takes hardly any memory. Safe from any thread.
 */
final class KeyAccount {
  private static final Refusal REVOKED =
      Refusal.of(RefusalReason.UNAUTHENTICATED, "the key was revoked before the request went");

  /** The quotas, with the key they were configured from. */
  private record Open(KeySpec spec, KeyQuota own, Map<String, KeyQuota> models, LightLimit light) {
    boolean owesNothing(long now) {
      return own.owesNothing(now)
          && light.owesNothing(now)
          && models.values().stream().allMatch(each -> each.owesNothing(now));
    }
  }

  private final KeyAccounts all;
  private final LimitSource source;
  private final ConfiguredLimits configuredLimits;
  private final CallerAccount callerAccount;
  private volatile KeySpec spec;

  /** Whether the key has got a budget that does not count yet what was used before. */
  private volatile boolean laterBudget;

  private volatile @Nullable Open open;

  /** Whether there is no key any more. */
  private volatile boolean gone;

  KeyAccount(KeyAccounts all, LimitSource source, ConfiguredLimits configuredLimits, KeySpec spec) {
    this.all = all;
    this.source = source;
    this.configuredLimits = configuredLimits;
    this.spec = spec;
    this.callerAccount = new CallerAccount(spec.name(), all.waits(spec), this::quotas);
    callerAccount.maxWaiting(spec.terms().policy().maxWaiting());
  }

  CallerAccount account() {
    return callerAccount;
  }

  /** Sets the present key; the quotas follow when they are next requested. */
  void use(KeySpec next) {
    if (!next.equals(spec)) {
      laterBudget |= hasNoBudget(spec);
      spec = next;
      callerAccount.maxWaiting(next.terms().policy().maxWaiting());
    }
    callerAccount.waits(all.waits(next)); // its group may have changed
    gone = false;
    callerAccount.restore();
  }

  /** Notes that its key is gone; {@code revocation} says what becomes of its requests. */
  void end(Function<KeySpec, Revocation> revocation) {
    if (gone) {
      return; // that was decided when it went
    }
    gone = true;
    switch (revocation.apply(spec)) {
      case KEEPS_WAITING -> {}
      case REFUSES_WAITING -> callerAccount.revoke(REVOKED, false);
      case CUTS_RUNNING -> callerAccount.revoke(REVOKED, true);
    }
  }

  private static boolean hasNoBudget(KeySpec key) {
    return key.terms().limits().budgetTokensPerDay() == 0;
  }

  /**
   * Returns what a new budget counts at once: nothing, unless the key was known without one. The
   * use of an earlier key of the same name is not counted.
   */
  private long usedBefore(KeySpec current) {
    boolean sameName = current.identity().limitOwner().equals(current.name());
    return laterBudget && sameName ? all.usedTokens().ofKey(current.name()) : 0;
  }

  /**
   * Sets the present key as {@link #use} does, changes the quotas at once and wakes their waiters.
   */
  void change(KeySpec next, long now) {
    use(next);
    if (open != null) {
      open(now);
    }
  }

  /** Returns the use of its budget; empty while it has no quotas, or no budget. */
  List<LimitUse> budgetUses(long now) {
    callerAccount.enter();
    try {
      Open seen = open;
      return seen == null ? List.of() : seen.own().quota().budgetUses(now);
    } finally {
      callerAccount.leave();
    }
  }

  /** Gives its budget back as a whole; returns false if others share it. */
  boolean resetBudget(long now) {
    callerAccount.enter();
    try {
      return open(now).own().quota().resetBudgets();
    } finally {
      callerAccount.leave();
    }
  }

  /** Returns the quotas of the key, of the key for the model, and of its group. */
  private List<Quota> quotas(@Nullable String model, long now) {
    all.tidy(now);
    KeySpec current = spec;
    List<Quota> quotas = new ArrayList<>(3);
    Open seen = open;
    boolean limited = current.terms().isLimited();
    // A waiting request keeps the quotas it arrived at: one must exist for limits that the key gets
    // later.
    if (seen != null || limited || callerAccount.waits()) {
      Open right = seen != null && seen.spec().equals(current) ? seen : open(now);
      quotas.add(right.own().quota());
      String named =
          model == null ? null : ModelNames.match(current.terms().models()::containsKey, model);
      KeyQuota ofModel = named == null ? null : right.models().get(named);
      if (ofModel != null) {
        quotas.add(ofModel.quota());
      }
    }
    Quota group = all.group(current.terms().group());
    if (group != null) {
      quotas.add(group);
    }
    return quotas;
  }

  /** Takes a call that costs nothing; returns its refusal, or null when it may go. */
  @Nullable Refusal takeLight(PromiseHolder client, long now) {
    callerAccount.enter();
    try {
      all.tidy(now);
      Open right = open(now);
      long most = right.spec().terms().limits().lightRpm();
      return right.light().take(client, most, configuredLimits.windowNanos(), now);
    } finally {
      callerAccount.leave();
    }
  }

  /** Creates the quotas, or changes them to the present key. */
  private synchronized Open open(long now) {
    Open before = open;
    KeySpec current = spec;
    if (before != null && before.spec().equals(current)) {
      return before;
    }
    KeyQuota own = before == null ? holding("key " + current.name()) : before.own();
    own.applyLimits(configuredLimits.of(current), now, budget -> usedBefore(current));
    laterBudget = hasNoBudget(current);
    Map<String, KeyQuota> models = new HashMap<>();
    if (before != null) {
      models.putAll(before.models());
    }
    current
        .terms()
        .models()
        .keySet()
        .forEach(
            model ->
                models.computeIfAbsent(
                    model, absent -> holding("key " + current.name() + " for " + model)));
    // A quota that is no longer configured stays, without limits, for requests that still face it.
    models.forEach((model, held) -> held.applyLimits(ofModel(current, model), now, budget -> 0));
    LightLimit light = before == null ? new LightLimit("key " + current.name()) : before.light();
    Open next = new Open(current, own, Map.copyOf(models), light);
    open = next;
    if (before == null) {
      all.opened(this);
    }
    return next;
  }

  private List<KeyLimit> ofModel(KeySpec current, String model) {
    KeySpec.ModelLimits limits = current.terms().models().get(model);
    return limits == null ? List.of() : configuredLimits.of(current, model, limits);
  }

  private KeyQuota holding(String name) {
    return new KeyQuota(source, Quota.ofKey(name, List.of()));
  }

  /**
   * Drops the quotas if no request is inside and no charge counts; returns whether there still are
   * quotas.
   */
  boolean closeIfIdle(long now) {
    callerAccount.ifEmpty(() -> close(now));
    return open != null;
  }

  private synchronized void close(long now) {
    Open seen = open;
    if (seen == null || !seen.owesNothing(now)) {
      return;
    }
    seen.own().forget();
    seen.models().values().forEach(KeyQuota::forget);
    open = null;
  }

  /** Runs {@code action} if there are no quotas and no request is inside. */
  void ifUnused(Runnable action) {
    callerAccount.ifEmpty(
        () -> {
          if (open == null) {
            action.run();
          }
        });
  }
}
