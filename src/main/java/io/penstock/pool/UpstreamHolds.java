package io.penstock.pool;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.PoolTariff;
import io.penstock.quota.Quota;
import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Refusals of one upstream because of limits, and the pauses that are about less than a pool. A
 * refusal belongs to the least thing that it can be about: a provider may have limits for each end
 * user, so one tenant that is refused says nothing about others. It takes a second tenant, or that
 * no other was active in the last minute, to tell that a model has no room; two such models to tell
 * that of their pool; and three models that two tenants asked for to tell that of the account.
 *
 * <p>A refusal is remembered for a minute, and as long as its pause lasts, unless the model serves
 * a request meanwhile. Safe from any thread.
 */
final class UpstreamHolds {
  /** How long a refusal is remembered at least, in nanoseconds. */
  static final long WITNESS_NANOS = 60_000_000_000L;

  /** Most models whose refusals are remembered: more than any provider has. */
  static final int MOST_MODELS = 1_000;

  /** Most pauses; further ones are those of pools. */
  static final int MOST = 10_000;

  /** Most pauses of one tenant; further models count as one. */
  static final int MOST_OF_TENANT = 64;

  private static final String FURTHER = "*";
  private static final int FEW = 256;
  private static final int MODELS_OF_POOL = 2;
  private static final int MODELS_OF_ACCOUNT = 3;

  /** The requests that a pause is about: those of one tenant, or of all if it has none. */
  private record Subject(String model, @Nullable Object tenant) {}

  private record Hold(PoolPause pause, UpstreamHold at) {}

  /** The refusals of a model. */
  private static final class Refusals {
    final Quota pool;

    @SharedState("refusals by limits")
    final Set<Object> tenants = new HashSet<>();

    boolean shut;
    long untilNanos;

    Refusals(Quota pool) {
      this.pool = pool;
    }
  }

  private final String upstream;
  private final RandomGenerator random;

  @SharedState("refusals by limits")
  private final ConcurrentMap<Subject, Hold> holds = new ConcurrentHashMap<>();

  @SharedState("refusals by limits")
  private final ConcurrentMap<String, Refusals> byModel = new ConcurrentHashMap<>();

  private int sweepAt = FEW;

  UpstreamHolds(String upstream, RandomGenerator random) {
    this.upstream = upstream;
    this.random = random;
  }

  /**
   * Records a refusal, and returns what it is about by what is known now.
   *
   * @param alone whether no other tenant was active in the last minute
   * @param named the part that the answer itself names, or null
   * @param shared whether the pool is that of several models
   */
  synchronized RefusalScope refused(
      Object tenant,
      String model,
      Quota pool,
      boolean alone,
      @Nullable RefusalScope named,
      boolean shared,
      long now) {
    forgetOld(now);
    Refusals refusals = byModel.get(model);
    if (refusals == null && byModel.size() < MOST_MODELS) {
      refusals = new Refusals(pool);
      byModel.put(model, refusals);
    }
    if (refusals == null) {
      return named == null ? RefusalScope.TENANT : named;
    }
    if (refusals.tenants.size() < 2) {
      refusals.tenants.add(tenant);
    }
    refusals.shut |= alone || named != null || refusals.tenants.size() > 1;
    refusals.untilNanos = Math.max(refusals.untilNanos, now + WITNESS_NANOS);
    RefusalScope scope = scope(model, shared, now);
    return named != null && named.compareTo(scope) > 0 ? named : scope;
  }

  /** Returns what the refusals of a model are about, by what is known now. */
  private RefusalScope scope(String model, boolean shared, long now) {
    Refusals refusals = byModel.get(model);
    if (refusals == null || !refusals.shut || refusals.untilNanos <= now) {
      return RefusalScope.TENANT;
    }
    int models = 0;
    int ofPool = 0;
    Set<Object> tenants = new HashSet<>();
    for (Refusals each : byModel.values()) {
      if (each.shut && each.untilNanos > now) {
        models++;
        ofPool += each.pool.equals(refusals.pool) ? 1 : 0;
        tenants.addAll(each.tenants);
      }
    }
    if (models >= MODELS_OF_ACCOUNT && tenants.size() > 1) {
      return RefusalScope.ACCOUNT;
    }
    return !shared || ofPool >= MODELS_OF_POOL ? RefusalScope.POOL : RefusalScope.MODEL;
  }

  /** Notes that the refusals of a model lead to a pause until an instant. */
  synchronized void pausedUntil(String model, long untilNanos) {
    Refusals refusals = byModel.get(model);
    if (refusals != null) {
      refusals.untilNanos = Math.max(refusals.untilNanos, untilNanos);
    }
  }

  /**
   * Notes that a model served a request of a tenant. Returns whether that ended a pause; its
   * waiters are woken.
   */
  boolean served(Object tenant, String model, long now) {
    if (holds.isEmpty() && byModel.isEmpty()) {
      return false; // the usual case takes no lock
    }
    byModel.remove(model);
    boolean ended = false;
    for (Subject each : List.of(new Subject(model, tenant), new Subject(model, null))) {
      Hold hold = holds.get(each);
      if (hold != null && hold.pause().served(now)) {
        hold.at().quota().waitList().wake();
        ended = true;
      }
    }
    return ended;
  }

  /**
   * Returns the pause of a model.
   *
   * @param tenant the tenant whose requests alone pause; null for those of all
   */
  synchronized @Nullable PoolPause pause(String model, @Nullable Object tenant, long now) {
    if (holds.size() >= sweepAt) {
      holds.values().removeIf(each -> each.pause().ends(now) <= now);
      sweepAt = Math.max(FEW, 2 * holds.size());
    }
    Subject subject = new Subject(model, tenant);
    Hold known = holds.get(subject);
    if (known == null && tenant != null && ofTenant(tenant) >= MOST_OF_TENANT) {
      subject = new Subject(FURTHER, tenant);
      known = holds.get(subject);
    }
    if (known == null && holds.size() < MOST) {
      PoolPause pause = new PoolPause(random);
      Quota quota =
          new Quota(
              "upstream " + upstream,
              PoolTariff.of(ChargeRule.TOTAL),
              List.of(),
              List.of(pause.gate()));
      boolean ofTenant = subject.tenant() != null;
      known = new Hold(pause, new UpstreamHold(upstream, subject.model(), ofTenant, quota));
      holds.put(subject, known);
    }
    return known == null ? null : known.pause();
  }

  private long ofTenant(Object tenant) {
    return holds.keySet().stream().filter(each -> tenant.equals(each.tenant())).count();
  }

  /** Returns the pauses that hold a request now; mostly none. */
  List<UpstreamHold> of(Object tenant, String model, long now) {
    if (holds.isEmpty()) {
      return List.of();
    }
    List<UpstreamHold> all = new ArrayList<>(1);
    for (Subject each :
        List.of(
            new Subject(model, null), new Subject(model, tenant), new Subject(FURTHER, tenant))) {
      Hold hold = holds.get(each);
      if (hold != null && hold.pause().ends(now) > now) {
        all.add(hold.at());
      }
    }
    return all;
  }

  /** Returns all pauses, also those that are over. */
  List<UpstreamHold> all() {
    return holds.values().stream().map(Hold::at).toList();
  }

  /**
   * Ends all pauses, wakes their waiters and forgets all refusals: the upstream or its limits may
   * be others.
   */
  synchronized void forget() {
    byModel.clear();
    holds.values().forEach(each -> each.pause().end());
    holds.values().forEach(each -> each.at().quota().waitList().wake());
    holds.clear();
  }

  private void forgetOld(long now) {
    byModel.values().removeIf(each -> each.untilNanos <= now);
  }
}
