package io.penstock.key;

import io.penstock.cost.Cost;
import io.penstock.key.KeySpec.ModelLimits;
import io.penstock.key.KeySpec.Rank;
import io.penstock.key.KeySpec.Scope;
import io.penstock.key.KeySpec.Secret;
import io.penstock.sharing.SharingMode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a key, which are all but its name and its secrets: the one declaration for route
 * files, the operator API and stored rows. Terms that contradict each other cannot be made.
 *
 * @param limits its limits, each within {@link #LIMIT}
 * @param models limits for some models, by the name that clients use
 * @param group the name of its group, or null
 * @param scope the models and endpoints it may use
 * @param priority the priority of requests that state none, within {@link #PRIORITY}
 * @param maxPriority the highest priority that requests can state; null means {@code priority}
 * @param weight its share in fair queueing, within {@link #WEIGHT}
 * @param expiresAtMillis Unix time in milliseconds, or {@link KeySpec#NEVER}
 * @param waits whether its requests wait for its limits instead of being refused
 * @param strictAfterDenial whether the shared count is fetched before decisions after a denial
 * @param sharing how instances share its limits; null for the default
 */
public record KeyTerms(
    KeySpec.Limits limits,
    Map<String, ModelLimits> models,
    @Nullable String group,
    Scope scope,
    long priority,
    @Nullable Long maxPriority,
    long weight,
    long expiresAtMillis,
    boolean waits,
    boolean strictAfterDenial,
    @Nullable SharingMode sharing) {
  /** The range of limits; 0 means unlimited. */
  public static final Range LIMIT = new Range(0, Cost.MAX_TOKENS);

  /** The range of priorities. */
  public static final Range PRIORITY = new Range(-1_000_000, 1_000_000);

  /** The range of weights. */
  public static final Range WEIGHT = new Range(1, 1_000_000);

  /** The terms of a key for which none are stated. */
  public static final KeyTerms PLAIN =
      new KeyTerms(
          KeySpec.Limits.NONE,
          Map.of(),
          null,
          Scope.ALL,
          0,
          null,
          1,
          KeySpec.NEVER,
          false,
          false,
          null);

  /** The whole numbers from {@code least} to {@code most}. */
  public record Range(long least, long most) {
    /** Returns whether {@code number} is one of them. */
    public boolean contains(long number) {
      return number >= least && number <= most;
    }
  }

  /** Thrown when terms contradict each other; the message says which and what was expected. */
  public static final class Contradiction extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String term;

    Contradiction(String term, String message) {
      super(message);
      this.term = term;
    }

    /** Returns the name of the term that could be changed. */
    public String term() {
      return term;
    }
  }

  public KeyTerms {
    long highest = maxPriority == null ? priority : maxPriority;
    if (priority > highest) {
      throw new Contradiction(
          "priority",
          "priority is %d, above max_priority %d, expected at most that"
              .formatted(priority, highest));
    }
    if (strictAfterDenial && sharing != null && sharing != SharingMode.EVENTUAL) {
      throw new Contradiction(
          "strict_after_denial",
          "strict_after_denial is true, but sharing is %s, expected eventual"
              .formatted(sharing.text()));
    }
  }

  /** Returns the terms of {@code key}; a highest priority that is its priority is not stated. */
  public static KeyTerms of(KeySpec key) {
    Rank rank = key.rank();
    return new KeyTerms(
        key.limits(),
        key.models(),
        key.group(),
        key.scope(),
        rank.priority(),
        rank.maxPriority() == rank.priority() ? null : Long.valueOf(rank.maxPriority()),
        rank.weight(),
        key.expiresAtMillis(),
        key.waits(),
        key.strictAfterDenial(),
        key.sharing());
  }

  /** Returns a key with these terms; parts with default values are shared between all keys. */
  public KeySpec key(String name, List<Secret> secrets) {
    Rank rank =
        new Rank(
            Math.toIntExact(priority),
            Math.toIntExact(maxPriority == null ? priority : maxPriority),
            Math.toIntExact(weight));
    return new KeySpec(
        name,
        secrets,
        limits.equals(KeySpec.Limits.NONE) ? KeySpec.Limits.NONE : limits,
        models,
        group,
        scope.equals(Scope.ALL) ? Scope.ALL : scope,
        rank.equals(Rank.PLAIN) ? Rank.PLAIN : rank,
        expiresAtMillis,
        waits,
        strictAfterDenial,
        sharing);
  }
}
