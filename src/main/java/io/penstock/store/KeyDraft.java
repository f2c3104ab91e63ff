package io.penstock.store;

import io.penstock.key.KeySpec;
import io.penstock.sharing.SharingMode;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A key during a change of its terms. */
final class KeyDraft {
  long rpm;
  long tpm;
  long rpd;
  long concurrency;
  long budgetTokensPerDay;
  Map<String, KeySpec.ModelLimits> models;
  @Nullable String group;
  @Nullable Set<String> allowedModels;
  @Nullable Set<String> allowedEndpoints;
  int priority;

  /** Null means the same as {@link #priority}. */
  @Nullable Integer maxPriority;

  int weight;
  long expiresAtMillis;
  boolean waits;
  boolean strictAfterDenial;
  @Nullable SharingMode sharing;

  private final KeySpec key;

  KeyDraft(KeySpec key) {
    this.key = key;
    KeySpec.Limits limits = key.limits();
    rpm = limits.rpm();
    tpm = limits.tpm();
    rpd = limits.rpd();
    concurrency = limits.concurrency();
    budgetTokensPerDay = limits.budgetTokensPerDay();
    models = key.models();
    group = key.group();
    allowedModels = key.scope().models();
    allowedEndpoints = key.scope().endpoints();
    priority = key.rank().priority();
    maxPriority = key.rank().maxPriority() == priority ? null : key.rank().maxPriority();
    weight = key.rank().weight();
    expiresAtMillis = key.expiresAtMillis();
    waits = key.waits();
    strictAfterDenial = key.strictAfterDenial();
    sharing = key.sharing();
  }

  /** Returns the resulting key; parts with default values are shared between all keys. */
  KeySpec key() {
    int most = maxPriority == null ? priority : maxPriority;
    if (priority > most) {
      throw new KeyTermsJson.Unclear("priority is above max_priority, expected it at or below");
    }
    if (strictAfterDenial && sharing != null && sharing != SharingMode.EVENTUAL) {
      throw new KeyTermsJson.Unclear(
          "strict_after_denial is true, expected sharing to be eventual");
    }
    KeySpec.Limits limits = new KeySpec.Limits(rpm, tpm, rpd, concurrency, budgetTokensPerDay);
    KeySpec.Scope scope = new KeySpec.Scope(allowedModels, allowedEndpoints);
    KeySpec.Rank rank = new KeySpec.Rank(priority, most, weight);
    return new KeySpec(
        key.name(),
        key.secrets(),
        limits.equals(KeySpec.Limits.NONE) ? KeySpec.Limits.NONE : limits,
        models,
        group,
        scope.equals(KeySpec.Scope.ALL) ? KeySpec.Scope.ALL : scope,
        rank.equals(KeySpec.Rank.PLAIN) ? KeySpec.Rank.PLAIN : rank,
        expiresAtMillis,
        waits,
        strictAfterDenial,
        sharing,
        key.identity());
  }
}
