package io.penstock.key;

import io.penstock.key.KeySpec.LimitPolicy;
import io.penstock.key.KeySpec.Limits;
import io.penstock.key.KeySpec.ModelLimits;
import io.penstock.key.KeySpec.Rank;
import io.penstock.key.KeySpec.Scope;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a key, which are all but its name and its secrets. Parts with default values are
 * shared between all keys.
 *
 * @param limits its limits
 * @param models limits for some models, by the name that clients use
 * @param group the name of its group, or null
 * @param scope the models, endpoints and calls it may use
 * @param rank its priorities and weight
 * @param expiresAtMillis Unix time in milliseconds from which it is invalid, {@link KeySpec#NEVER}
 *     if it does not expire
 * @param policy what happens at its limits
 */
public record KeyTerms(
    Limits limits,
    Map<String, ModelLimits> models,
    @Nullable String group,
    Scope scope,
    Rank rank,
    long expiresAtMillis,
    LimitPolicy policy) {
  /** The terms of a key for which none are stated. */
  public static final KeyTerms PLAIN =
      new KeyTerms(
          Limits.NONE, Map.of(), null, Scope.ALL, Rank.PLAIN, KeySpec.NEVER, LimitPolicy.PLAIN);

  public KeyTerms {
    limits = limits.equals(Limits.NONE) ? Limits.NONE : limits;
    models = Map.copyOf(models);
    scope = scope.equals(Scope.ALL) ? Scope.ALL : scope;
    rank = rank.equals(Rank.PLAIN) ? Rank.PLAIN : rank;
    policy = policy.equals(LimitPolicy.PLAIN) ? LimitPolicy.PLAIN : policy;
  }

  /** Returns whether the key has limits of its own. */
  boolean isLimited() {
    return !limits.equals(Limits.NONE) || !models.isEmpty();
  }
}
