package io.penstock.pool;

import io.penstock.cost.Measure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.Gate;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import io.penstock.quota.Metered;
import io.penstock.quota.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One provider deployment: what it may be sent, one pool a model. Safe from any thread. */
public final class Upstream {
  /** More models than any provider has; what a client makes up beyond shares one pool. */
  private static final int MAX_POOLS = 1_000;

  private static final String OTHER = "*";

  private final LimitSource source;
  private final long windowNanos;
  private final ConcurrentMap<String, Quota> pools = new ConcurrentHashMap<>();
  private final Jitter jitter = new Jitter();
  private final Health health = new Health();
  private final Judge judge = new Judge(health);
  private final ConcurrentMap<Quota, Pause> pauses = new ConcurrentHashMap<>();
  private final RandomGenerator random;
  private volatile UpstreamSpec spec;
  private volatile long jitterNanos;

  Upstream(UpstreamSpec spec, LimitSource source, long windowNanos, RandomGenerator random) {
    this.random = random;
    this.spec = spec;
    this.source = source;
    this.windowNanos = windowNanos;
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

  /** Returns what went wrong last, or null. */
  public @Nullable Trouble trouble() {
    return judge.trouble();
  }

  /** Returns whether streams are asked for their usage: as configured, unless it said no to it. */
  public boolean injectsUsage() {
    return spec.injectsUsage() && judge.usageKnown();
  }

  /** Returns what holds a pool of this upstream back. */
  public Pause pause(Quota pool) {
    Pause pause = pauses.get(pool);
    if (pause == null) {
      throw new IllegalArgumentException(pool + " is no pool of " + spec.id());
    }
    return pause;
  }

  /** Returns its pools by the upstream's own name for the model, those that were used. */
  public Map<String, Quota> pools() {
    return Map.copyOf(pools);
  }

  /** Returns the pool for a model under the client's name for it; null is no model. */
  public Quota pool(@Nullable String model, long now) {
    String own = model == null ? OTHER : spec.ownName(model);
    Quota known = pools.get(own);
    if (known != null) {
      return known;
    }
    String name = pools.size() < MAX_POOLS ? own : OTHER;
    return made(name, now);
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
            spec.budget().charge(),
            limits(pool, now),
            List.of(health.gate(), pause.gate()));
    pauses.put(quota, pause);
    quota.widen(jitterNanos);
    return quota;
  }

  private List<Metered> limits(String pool, long now) {
    List<Metered> limits = new ArrayList<>();
    UpstreamSpec.Limits limit = spec.budget().limits();
    add(limits, pool, Measure.REQUESTS, limit.rpm(), now);
    add(limits, pool, Measure.TOKENS, limit.tpm(), now);
    add(limits, pool, Measure.INPUT_TOKENS, limit.itpm(), now);
    add(limits, pool, Measure.OUTPUT_TOKENS, limit.otpm(), now);
    return limits;
  }

  private void add(List<Metered> limits, String pool, Measure measure, long perMinute, long now) {
    LimitId id = new LimitId(LimitId.Kind.UPSTREAM, spec.id(), pool, measure, windowNanos);
    if (perMinute > 0) {
      Limit limit = source.limit(id, specOf(perMinute), now);
      limits.add(new Metered(measure, limit));
    }
  }

  private LimitSpec specOf(long perMinute) {
    long burst =
        Math.max(1, (long) ((double) perMinute * Math.min(1, spec.budget().burstSeconds() / 60)));
    return new LimitSpec.TrailingWindow(perMinute, windowNanos, spec.budget().guardNanos(), burst);
  }

  /** Gives it another configuration; what its pools owe stays. */
  synchronized void reconfigure(UpstreamSpec next, long now) {
    if (next.equals(spec)) {
      return;
    }
    spec = next;
    judge.forget();
    health.forget();
    pools.forEach(
        (pool, quota) -> {
          quota.change(next.budget().charge(), limits(pool, now));
          quota.widen(jitterNanos);
        });
  }

  /**
   * Takes note of an answer, and says what becomes of its request.
   *
   * @param tries what was tried for the request, this attempt included
   */
  public Verdict judge(Tries tries, Lesson lesson, long now) {
    Verdict verdict = judge.of(tries, lesson, pause(pool(tries.model(), now)), now);
    if (Judge.works(lesson.status()) && health.answered(now)) {
      wake();
    }
    return verdict;
  }

  /** Takes note of an attempt that brought no answer, and says what becomes of its request. */
  public Verdict judge(Tries tries, Failure failure, long now) {
    return judge.of(tries, failure, now);
  }

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
