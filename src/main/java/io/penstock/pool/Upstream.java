package io.penstock.pool;

import io.penstock.quota.Gate;
import io.penstock.quota.Quota;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One provider deployment: what it may be sent, one pool a model, or one that models share. Safe
 * from any thread.
 */
public final class Upstream {
  /** More models than any provider has; what a client makes up beyond shares one pool. */
  private static final int MAX_POOLS = 1_000;

  private static final String OTHER = "*";

  /** The longest pause, in nanoseconds, for which a request waits here though others serve it. */
  private static final long SHORT_PAUSE_NANOS = 1_000_000_000L;

  private final PoolLimits limits;
  private final ConcurrentMap<String, Quota> pools = new ConcurrentHashMap<>();
  private final Jitter jitter = new Jitter();
  private final Health health = new Health();
  private final Judge judge = new Judge(health);
  private final UsageRefusals usageRefusals = new UsageRefusals();
  private final ConcurrentMap<Quota, Pause> pauses = new ConcurrentHashMap<>();
  private final RandomGenerator random;
  private volatile UpstreamSpec spec;
  private volatile long jitterNanos;

  Upstream(UpstreamSpec spec, PoolLimits limits, RandomGenerator random) {
    this.random = random;
    this.spec = spec;
    this.limits = limits;
  }

  /** Returns the configuration. */
  public UpstreamSpec spec() {
    return spec;
  }

  /** Returns whether it takes requests at all. */
  public boolean enabled() {
    return spec.access().disabledBecause() == null;
  }

  /** Returns the gate of all its pools: on trial while it is not known to be well again. */
  public Gate health() {
    return health.gate();
  }

  /**
   * Returns whether a pool can be relied on to give soon: the upstream is healthy, the pool is not
   * paused for longer than 1 s, and it is not out for its day. A pool whose minute is used up can:
   * that passes.
   */
  public boolean available(Quota pool, long now) {
    return health.well()
        && pool.gatesOpen(now) - now <= SHORT_PAUSE_NANOS
        && pool.dayEndsNanos(now) <= now;
  }

  /** Returns what went wrong last, or null. */
  public @Nullable Trouble trouble() {
    return judge.trouble();
  }

  /**
   * Returns whether streams of a model, under the client's name for it, are asked for their usage:
   * as configured, unless the upstream refused that lately.
   */
  public boolean injectsUsage(@Nullable String model, long now) {
    return spec.injectsUsage() && usageRefusedUntil(model, now) <= now;
  }

  /**
   * Returns the instant until which streams of a model are not asked for their usage because the
   * upstream refused that, at most {@code now} when they are.
   */
  public long usageRefusedUntil(@Nullable String model, long now) {
    return usageRefusals.ends(ownName(model), now);
  }

  /** Returns how often streams of a pool stopped being asked for their usage. */
  public long usageRefusals(Quota pool) {
    return usageRefusals.times(pool);
  }

  private String ownName(@Nullable String model) {
    return model == null ? OTHER : spec.ownName(model);
  }

  /** Returns what holds a pool of this upstream back. */
  public Pause pause(Quota pool) {
    Pause pause = pauses.get(pool);
    if (pause == null) {
      throw new IllegalArgumentException(pool + " is no pool of " + spec.id());
    }
    return pause;
  }

  /** Returns its pools by their names, those that were used; the rest of models share one. */
  public Map<String, Quota> pools() {
    return Map.copyOf(pools);
  }

  /** Returns the pool for a model under the client's name for it; null is no model. */
  public Quota pool(@Nullable String model, long now) {
    UpstreamSpec current = spec;
    String name = model == null ? OTHER : current.budget().poolOf(current.ownName(model));
    Quota known = pools.get(name);
    if (known != null) {
      return known;
    }
    boolean made = pools.size() < MAX_POOLS || current.budget().shared(name) != null;
    return made(made ? name : OTHER, now);
  }

  /** Not while the configuration changes: a pool made of the old one would keep its limits. */
  private synchronized Quota made(String pool, long now) {
    return pools.computeIfAbsent(pool, absent -> quota(absent, now));
  }

  private Quota quota(String pool, long now) {
    Pause pause = new Pause(random);
    Quota quota =
        new Quota(
            "upstream " + spec.id(),
            PoolLimits.tariff(spec, pool),
            limits.of(spec, pool, now),
            List.of(health.gate(), pause.gate()));
    pauses.put(quota, pause);
    quota.widen(jitterNanos);
    return quota;
  }

  /** Gives it another configuration; what its pools owe stays. */
  synchronized void reconfigure(UpstreamSpec next, long now) {
    if (next.equals(spec)) {
      limit(next, now); // it may be shared otherwise than before
      return;
    }
    comeBack(next, now);
  }

  private void limit(UpstreamSpec next, long now) {
    pools.forEach(
        (pool, quota) -> {
          quota.change(PoolLimits.tariff(next, pool), limits.of(next, pool, now));
          quota.widen(jitterNanos);
        });
  }

  /** Configures it anew, even with what it had: how it fared does not count any more. */
  synchronized void comeBack(UpstreamSpec next, long now) {
    spec = next;
    judge.forget();
    usageRefusals.forget();
    health.forget();
    limit(next, now);
  }

  /**
   * Takes note of an answer, and says what becomes of its request.
   *
   * @param tries what was tried for the request, this attempt included
   */
  public Verdict judge(Tries tries, Lesson lesson, long now) {
    Quota pool = pool(tries.model(), now);
    boolean well = health.well();
    boolean before = lesson.status() >= Judge.ERRORS && available(pool, now);
    Verdict verdict = judge.of(tries, lesson, pause(pool), now);
    if (lesson.status() < Judge.ERRORS && tries.streamUsage() == Tries.StreamUsage.TAKEN_OUT) {
      usageRefusals.add(ownName(tries.model()), pool, now);
    }
    boolean opened = Judge.works(lesson.status()) && health.answered(now);
    boolean shut = (well && !health.well()) || (before && !available(pool, now));
    if (opened || shut) {
      wake();
    }
    return verdict;
  }

  /** Takes note of an attempt that brought no answer, and says what becomes of its request. */
  public Verdict judge(Tries tries, Failure failure, long now) {
    boolean well = health.well();
    Verdict verdict = judge.of(tries, failure, now);
    if (well && !health.well()) {
      wake();
    }
    return verdict;
  }

  /** Has all who wait here look again: they can go, or had better go elsewhere. */
  private void wake() {
    pools.values().forEach(pool -> pool.line().wake());
  }

  /** Notes how long a request took from its release until its last byte was written. */
  public void written(long afterReleaseNanos) {
    long measured = jitter.add(Math.max(0, afterReleaseNanos));
    if (measured != jitterNanos) {
      jitterNanos = measured;
      pools.values().forEach(pool -> pool.widen(measured));
    }
  }

  /** Returns the jitter measured on the way to it, in nanoseconds. */
  public long jitterNanos() {
    return jitterNanos;
  }

  @Override
  public String toString() {
    return spec.toString();
  }
}
