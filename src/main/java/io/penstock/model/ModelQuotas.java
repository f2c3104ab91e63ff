package io.penstock.model;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.tenant.SharedState;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Quotas of models, by the names that clients use. Limits come from the loaded profiles, the
 * configuration and the overrides of operators. Only these names have a quota. It is created when
 * it is first requested, and dropped when no limit has charges left and no other object refers to
 * it. Safe from any thread.
 */
public final class ModelQuotas {
  /** Most models for which operators may set limits. */
  public static final int MOST_OVERRIDES = 10_000;

  /** Denial codes of the three limits of a quota, in their order. */
  static final List<ModelDecision.Code> EXCEEDED =
      List.of(
          ModelDecision.Code.RPD_EXCEEDED,
          ModelDecision.Code.RPM_EXCEEDED,
          ModelDecision.Code.TPM_EXCEEDED);

  /**
   * Capacity of a limit that counts but never denies, so that the usage is known if a limit is set
   * later.
   */
  static final long UNLIMITED = 1L << 50;

  /** A quota, with its limits, which outlive the quota itself. */
  private static final class Kept {
    private final WeakReference<Quota> quota;
    private volatile @Nullable Quota inUse;
    private List<MeteredLimit> limits;

    Kept(Quota quota) {
      this.quota = new WeakReference<>(quota);
      this.inUse = quota;
      this.limits = quota.limits();
    }

    boolean owes(long now) {
      for (MeteredLimit metered : limits) {
        if (!metered.limit().balance(now).equals(LimitBalance.ZERO)) {
          return true;
        }
      }
      return false;
    }
  }

  private final LimitSource source;
  private final long windowNanos;

  @SharedState("quotas of models")
  private final ConcurrentHashMap<String, Kept> byName = new ConcurrentHashMap<>();

  @SharedState("quotas of models")
  private final Set<String> loaded = new LinkedHashSet<>();

  @SharedState("quotas of models")
  private final Map<String, ModelLimits> overrides = new TreeMap<>();

  @SharedState("quotas of models")
  private Collection<String> configuredProviders = List.of();

  @SharedState("quotas of models")
  private Map<String, ModelLimits> explicit = Map.of();

  private volatile ModelNames names = new ModelNames(List.of(), Map.of(), Map.of());
  private volatile long sweptNanos;
  private volatile Runnable changed = () -> {};

  /**
   * Creates the quotas of an empty configuration.
   *
   * @param limits the source of limits
   * @param windowNanos the window of the limits per minute: 60 s, shorter in tests
   */
  public ModelQuotas(LimitSource limits, long windowNanos) {
    this.source = limits;
    this.windowNanos = windowNanos;
  }

  /**
   * Sets the listener that is called when an operator has changed limits of models: a model may
   * have a quota now that had none. It is called under a lock and must not block. {@link
   * #configure} does not call it, because the endpoints of the same route files are configured
   * after it.
   */
  public void whenChanged(Runnable listener) {
    changed = listener;
  }

  /**
   * Applies the configuration of route files; charges stay.
   *
   * @param providers names of the profiles to load
   * @param explicit limits by model, which win over profiles
   */
  public synchronized void configure(
      Collection<String> providers, Map<String, ModelLimits> explicit, long now) {
    this.configuredProviders = List.copyOf(providers);
    this.explicit = Map.copyOf(explicit);
    apply(now);
  }

  /**
   * Loads the profile of a provider in addition to the configured ones. Returns false when the
   * provider has none.
   */
  public synchronized boolean load(String provider, long now) {
    if (ModelProfiles.of(provider) == null) {
      return false;
    }
    loaded.add(provider);
    apply(now);
    changed.run();
    return true;
  }

  /**
   * Sets the limits of a model, whatever is configured. Returns false when operators have already
   * set those of {@link #MOST_OVERRIDES} other models.
   */
  public synchronized boolean override(String model, ModelLimits limits, long now) {
    if (overrides.size() >= MOST_OVERRIDES && !overrides.containsKey(model)) {
      return false;
    }
    overrides.put(model, limits);
    apply(now);
    changed.run();
    return true;
  }

  /** Removes the limits set by {@link #override}. Returns false when there were none. */
  public synchronized boolean endOverride(String model, long now) {
    boolean was = overrides.remove(model) != null;
    apply(now);
    changed.run();
    return was;
  }

  /** Restores the overrides from before a restart; they replace those set since. */
  public synchronized void restore(Map<String, ModelLimits> overrides, long now) {
    this.overrides.clear();
    this.overrides.putAll(overrides);
    apply(now);
    changed.run();
  }

  /** Returns the limits set by operators, by model. */
  public synchronized Map<String, ModelLimits> overrides() {
    return Map.copyOf(overrides);
  }

  private void apply(long now) {
    Set<String> providers = new LinkedHashSet<>(configuredProviders);
    providers.addAll(loaded);
    names = new ModelNames(providers, explicit, overrides);
    byName.forEach((name, kept) -> renew(name, kept, now));
    sweep(now);
  }

  /** Gives a quota the limits that are in force; none if the model has none. */
  private void renew(String name, Kept kept, long now) {
    ModelNames.Known known = names.get(name);
    Quota quota = kept.quota.get();
    List<MeteredLimit> limits = known == null ? List.of() : limits(known, now);
    if (known != null) {
      kept.limits = limits;
    }
    if (quota != null) {
      quota.change(ChargeRule.TOTAL, limits);
    }
  }

  /** Returns the quota that requests for {@code model} face, or null when nothing limits them. */
  public @Nullable Quota of(@Nullable String model, long now) {
    ModelNames.Known known = limiting(model);
    return known == null ? null : quota(known, now);
  }

  /** Returns the name of the quota that requests for {@code model} face, or null. */
  public @Nullable String limitedAs(@Nullable String model) {
    ModelNames.Known known = limiting(model);
    return known == null ? null : known.name();
  }

  /**
   * Returns the name of a model whose requests face a limit of tokens, or null if there is none.
   */
  public @Nullable String limitedInTokens() {
    return names.all().stream()
        .filter(known -> known.traffic() && known.limits().tpm() > 0)
        .map(ModelNames.Known::name)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /** Returns whether requests for any model face a quota. */
  public boolean limitsAny() {
    return names.all().stream().anyMatch(ModelQuotas::limits);
  }

  private ModelNames.@Nullable Known limiting(@Nullable String model) {
    ModelNames.Known known = model == null ? null : names.find(model);
    return known != null && limits(known) ? known : null;
  }

  private static boolean limits(ModelNames.Known known) {
    return known.traffic() && !known.limits().equals(ModelLimits.NONE);
  }

  /** Returns all known models. */
  Collection<ModelNames.Known> known() {
    return names.all();
  }

  /** Returns the known model that {@code model} counts as, or null. */
  ModelNames.@Nullable Known known(String model) {
    return names.find(model);
  }

  /** Returns the length of a window in nanoseconds. */
  long windowNanos() {
    return windowNanos;
  }

  /**
   * Returns the quota of a known model. It has three limits: requests per day, requests per minute
   * and tokens per minute; the capacity is {@link #UNLIMITED} where none is set.
   */
  Quota quota(ModelNames.Known known, long now) {
    if (now - sweptNanos > windowNanos) {
      sweep(now);
    }
    Kept kept = byName.get(known.name());
    Quota quota = kept == null ? null : kept.inUse;
    return quota == null ? again(known, now) : quota;
  }

  /** Returns the quota of a model if it was used lately, else null. */
  @Nullable Quota used(ModelNames.Known known, long now) {
    return byName.containsKey(known.name()) ? quota(known, now) : null;
  }

  private synchronized Quota again(ModelNames.Known asked, long now) {
    Kept kept = byName.get(asked.name());
    Quota quota = kept == null ? null : kept.quota.get();
    if (kept == null || quota == null) {
      // the limits may have changed since the caller looked the model up
      ModelNames.Known known = names.get(asked.name());
      quota =
          new Quota(asked.name(), ChargeRule.TOTAL, known == null ? List.of() : limits(known, now));
      byName.put(asked.name(), new Kept(quota));
    } else {
      kept.inUse = quota;
    }
    return quota;
  }

  /**
   * Forgets the usage of one model, or of all when {@code model} is null. Running requests settle
   * with the old limits.
   */
  public synchronized void reset(@Nullable String model, long now) {
    ModelNames.Known known = model == null ? null : names.find(model);
    byName.forEach(
        (name, kept) -> {
          if (model == null || (known != null && known.name().equals(name))) {
            ids(name).forEach(source::forget);
            renew(name, kept, now);
          }
        });
  }

  private List<LimitId> ids(String name) {
    return List.of(
        new LimitId(LimitId.Kind.MODEL, name, "", LimitMeasure.REQUESTS, LimitSpec.Day.NANOS),
        new LimitId(LimitId.Kind.MODEL, name, "", LimitMeasure.REQUESTS, windowNanos),
        new LimitId(LimitId.Kind.MODEL, name, "", LimitMeasure.TOKENS, windowNanos));
  }

  private List<MeteredLimit> limits(ModelNames.Known known, long now) {
    List<LimitId> ids = ids(known.name());
    ModelLimits most = known.limits();
    return List.of(
        new MeteredLimit(
            LimitMeasure.REQUESTS,
            source.limit(ids.get(0), new LimitSpec.Day(capacity(most.rpd()), null, 0), now),
            RefusalReason.MODEL_RPD),
        new MeteredLimit(LimitMeasure.REQUESTS, trailing(ids.get(1), most.rpm(), now)),
        new MeteredLimit(LimitMeasure.TOKENS, trailing(ids.get(2), most.tpm(), now)));
  }

  private static long capacity(long limit) {
    return limit == 0 ? UNLIMITED : limit;
  }

  private Limit trailing(LimitId id, long limit, long now) {
    return source.limit(id, LimitSpec.TrailingWindow.unpaced(capacity(limit), windowNanos), now);
  }

  /**
   * Releases the strong reference to each quota without charges, and forgets quota and limits if
   * the quota has been collected since the last sweep. So no second quota of the same name exists
   * while any object refers to the first.
   */
  private synchronized void sweep(long now) {
    sweptNanos = now;
    byName.forEach(
        (name, kept) -> {
          if (kept.owes(now)) {
            return;
          }
          boolean abandoned = kept.inUse == null && kept.quota.get() == null;
          kept.inUse = null;
          if (abandoned) {
            byName.remove(name);
            ids(name).forEach(source::forget);
          }
        });
  }
}
