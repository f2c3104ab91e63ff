package io.penstock.pool;

import io.penstock.quota.Quota;
import io.penstock.quota.QuotaGate;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Provider deployment with its quotas: one pool per model, or one that several models share. Safe
 * from any thread.
 */
public final class Upstream {
  /**
   * Most pools: more than any provider has models. Further names that clients make up share one
   * pool.
   */
  private static final int MAX_POOLS = 1_000;

  private static final String OTHER = "*";

  /** The longest time that a probe may take, in nanoseconds. */
  public static final long PROBE_NANOS = 5_000_000_000L;

  /** The time that a probe is assumed to take, in nanoseconds, where clients are told a time. */
  private static final long PROBE_ANSWER_NANOS = 250_000_000L;

  private final PoolLimits limits;

  @SharedState("limits")
  private final ConcurrentMap<String, Quota> pools = new ConcurrentHashMap<>();

  private final SendJitter sendJitter = new SendJitter();
  private final UpstreamHealth upstreamHealth = new UpstreamHealth();
  private final AttemptJudge attemptJudge = new AttemptJudge(upstreamHealth);
  private final AdditionRefusals additionRefusals = new AdditionRefusals();
  private final LostModels lostModels = new LostModels();

  @SharedState("pauses of pools")
  private final ConcurrentMap<Quota, PoolPause> pauses = new ConcurrentHashMap<>();

  private final UpstreamHolds holds;

  /** The pause of all pools. */
  private final PoolPause accountPause;

  private final QuotaGate operatorGate = new QuotaGate();
  private volatile boolean paused;

  private final RandomGenerator random;

  @SharedState("health of upstreams")
  private final Map<ProbeResult, LongAdder> probes;

  private volatile UpstreamSpec spec;
  private volatile long jitterNanos;

  /** Whether the latest refusal of the account was that of a request that named a model. */
  private volatile boolean refusedModel;

  Upstream(UpstreamSpec spec, PoolLimits limits, RandomGenerator random) {
    this.random = random;
    this.holds = new UpstreamHolds(spec.id(), random);
    this.accountPause = new PoolPause(random);
    this.spec = spec;
    this.limits = limits;
    Map<ProbeResult, LongAdder> adders = new EnumMap<>(ProbeResult.class);
    for (ProbeResult each : ProbeResult.values()) {
      adders.put(each, new LongAdder());
    }
    this.probes = Map.copyOf(adders);
  }

  /** Returns the configuration. */
  public UpstreamSpec spec() {
    return spec;
  }

  /** Returns whether the configuration lets it take requests. */
  public boolean enabled() {
    return spec.access().disabledBecause() == null;
  }

  /**
   * Returns the gate of all its pools, which is on trial until the upstream is known to be healthy
   * again.
   */
  public QuotaGate health() {
    return upstreamHealth.gate();
  }

  /**
   * Returns the instant at which a probe of it is due, or {@link Ticker#NEVER} when none is: it is
   * healthy, or on trial with requests.
   */
  public long probeAt() {
    return upstreamHealth.probeAt();
  }

  /**
   * Returns when it is tried next, by a probe or by a request: {@code now} if requests may go, and
   * at most a second later while the result of a probe is awaited.
   */
  public long triedAt(long now) {
    return upstreamHealth.triedAt(now);
  }

  /**
   * Returns when requests may go if the next probe succeeds: {@code now} if they may go already.
   */
  public long goesAt(long now) {
    long tried = triedAt(now);
    return tried > now && probeAt() != Ticker.NEVER ? tried + PROBE_ANSWER_NANOS : tried;
  }

  /**
   * Records the result of a probe, and lets waiting requests know if one of them may go.
   *
   * @param cause why it failed, in a few words for operators, without secrets; null if it did not
   */
  public void probed(ProbeResult result, @Nullable String cause, long now) {
    adder(result).increment();
    if (cause != null) {
      attemptJudge.note(cause, now);
    }
    if (upstreamHealth.probed(result, now)) {
      wake();
    }
  }

  private LongAdder adder(ProbeResult result) {
    return Objects.requireNonNull(probes.get(result));
  }

  /** Returns how many probes had a result. */
  public long probes(ProbeResult result) {
    return adder(result).sum();
  }

  /**
   * Returns whether it could take a request of a pool, and when. Limits per minute are left out,
   * because they soon have room again.
   *
   * @param pool the pool of the request's model; null when the model is not known yet
   */
  public UpstreamReadiness readiness(@Nullable Quota pool, long now) {
    if (!enabled()) {
      return UpstreamReadiness.DISABLED;
    }
    if (paused) {
      return UpstreamReadiness.TAKEN_OUT;
    }
    boolean well = upstreamHealth.well();
    if (pool == null) {
      return well
          ? UpstreamReadiness.READY
          : new UpstreamReadiness(UpstreamReadiness.Cause.UNHEALTHY, goesAt(now));
    }
    UpstreamReadiness byGates =
        well
            ? UpstreamReadiness.READY.or(UpstreamReadiness.Cause.PAUSED, pool.gatesOpenAt(now), now)
            : new UpstreamReadiness(
                UpstreamReadiness.Cause.UNHEALTHY, Math.max(goesAt(now), pause(pool).triedAt(now)));
    return byGates.or(UpstreamReadiness.Cause.UPSTREAM_DAY, pool.dayEndsNanos(now), now);
  }

  /**
   * Notes that an answer failed after it had begun: until one ends well, the beginning of another
   * says nothing.
   */
  public void doubt() {
    upstreamHealth.doubt();
  }

  /** Returns whether an answer failed after it had begun, and none has ended well since then. */
  public boolean doubted() {
    return upstreamHealth.doubted();
  }

  /** Returns the last trouble, or null; while its account is refused, that is it. */
  public @Nullable UpstreamTrouble trouble() {
    return attemptJudge.trouble();
  }

  /**
   * Returns the status and the words with which the provider refuses the gateway's account, fit for
   * clients; null unless it is unhealthy because of that.
   */
  public @Nullable String accountRefusal() {
    return attemptJudge.refusal();
  }

  /**
   * Returns whether it served a model and does not know it any more. {@code model} is the name that
   * the client uses.
   */
  public boolean lost(@Nullable String model) {
    return model != null && lostModels.isLost(ownName(model));
  }

  /** Returns the number of such models. */
  public long lostModels() {
    return lostModels.count();
  }

  /**
   * Returns what requests for a model go without, of what the gateway adds by itself: the upstream
   * refused it lately. {@code model} is the name that the client uses.
   */
  public Set<Addition> withheld(@Nullable String model, long now) {
    return additionRefusals.withheld(ownName(model), now);
  }

  /**
   * Returns the instant until which requests for a model go without an addition; {@code now} when
   * they have it.
   */
  public long withheldUntil(@Nullable String model, Addition addition, long now) {
    return additionRefusals.ends(ownName(model), addition, now);
  }

  /** Returns how often the gateway began to leave out an addition for a pool. */
  public long refusals(Quota pool, Addition addition) {
    return additionRefusals.times(pool, addition);
  }

  /**
   * Records that a stream of a model stated its usage.
   *
   * @param asked whether its client had asked for that
   */
  public void usageStated(@Nullable String model, boolean asked, long now) {
    additionRefusals.usageStated(ownName(model), asked, now);
  }

  private String ownName(@Nullable String model) {
    return model == null ? OTHER : spec.ownName(model);
  }

  /** Returns the pause of all its pools. */
  public PoolPause accountPause() {
    return accountPause;
  }

  /** Returns whether an operator keeps requests from it. */
  public boolean paused() {
    return paused;
  }

  /**
   * Keeps requests from it, or lets them go to it again. Meanwhile they go to other upstreams, or
   * wait; answers that run go on.
   */
  public synchronized void pause(boolean stop) {
    paused = stop;
    if (stop) {
      operatorGate.shutUnlessOpened(Ticker.NEVER);
    } else {
      operatorGate.open();
      wake();
    }
  }

  /** Returns its pauses of less than a pool, also those that are over. */
  public List<UpstreamHold> holds() {
    return holds.all();
  }

  /** Returns the pause of a pool of this upstream. */
  public PoolPause pause(Quota pool) {
    PoolPause poolPause = pauses.get(pool.original());
    if (poolPause == null) {
      throw new IllegalArgumentException(pool + " is no pool of " + spec.id());
    }
    return poolPause;
  }

  /** Returns the pools that were used, by name; models beyond the bound share one. */
  public Map<String, Quota> pools() {
    return Map.copyOf(pools);
  }

  /**
   * Returns the pool of a model, which is given by the client's name for it; null means no model.
   */
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

  /**
   * Creates a pool, but not while the configuration changes: a pool with the old one would keep its
   * limits.
   */
  private synchronized Quota made(String pool, long now) {
    return pools.computeIfAbsent(pool, absent -> quota(absent, now));
  }

  private Quota quota(String pool, long now) {
    PoolPause poolPause = new PoolPause(random);
    Quota quota =
        new Quota(
            "upstream " + spec.id(),
            PoolLimits.tariff(spec, pool),
            limits.of(spec, pool, now),
            List.of(upstreamHealth.gate(), accountPause.gate(), operatorGate, poolPause.gate()));
    pauses.put(quota, poolPause);
    quota.widen(jitterNanos);
    return quota;
  }

  /** Changes the configuration; the charges of its pools stay. */
  synchronized void reconfigure(UpstreamSpec next, long now) {
    if (next.equals(spec)) {
      limit(next, now); // how limits are shared may have changed
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

  /**
   * Configures it anew, even with the same configuration: its health, refusals and pauses are
   * reset.
   */
  synchronized void comeBack(UpstreamSpec next, long now) {
    spec = next;
    attemptJudge.forget();
    additionRefusals.forget();
    lostModels.forget();
    limit(next, now);
    retry();
  }

  /** Ends all its pauses and its ill health, so that requests go to it again at once. */
  public void retry() {
    upstreamHealth.forget();
    accountPause.end();
    pauses.values().forEach(PoolPause::end);
    holds.forget();
    wake();
  }

  /**
   * Records an answer and returns what happens to its request.
   *
   * @param attemptHistory the attempts for the request, including this one
   */
  public AttemptVerdict judge(AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
    Quota pool = pool(attemptHistory.model(), now);
    arrived(attemptHistory.tenant(), now);
    boolean well = upstreamHealth.well();
    long opens = health().opens(now);
    boolean before = lesson.status() >= AttemptJudge.ERRORS && readiness(pool, now).soon(now);
    AttemptVerdict verdict = verdict(attemptHistory, lesson, pool, now);
    if (lesson.status() < AttemptJudge.ERRORS) {
      for (Addition each : attemptHistory.additions().withheld()) {
        servedWithout(each, attemptHistory, pool, now);
      }
    }
    noteModel(attemptHistory.model(), lesson);
    boolean works = works(attemptHistory, lesson);
    boolean resumed = works && served(attemptHistory, pool, now);
    boolean answered = works && answered(attemptHistory, lesson, now);
    boolean opened = answered || resumed || health().opens(now) < opens;
    boolean shut = (well && !upstreamHealth.well()) || (before && !readiness(pool, now).soon(now));
    if (opened || shut) {
      wake();
    }
    return verdict;
  }

  private void servedWithout(
      Addition addition, AttemptHistory attemptHistory, Quota pool, long now) {
    Object key = ActiveKeys.name(attemptHistory.tenant());
    boolean alone = upstreamHealth.only(key, now);
    additionRefusals.served(ownName(attemptHistory.model()), addition, key, alone, pool, now);
  }

  private void noteModel(@Nullable String model, ProviderLesson lesson) {
    if (model == null) {
      return;
    }
    if (lesson.status() < AttemptJudge.ERRORS) {
      lostModels.served(ownName(model));
    } else if (lesson.cause() == ProviderLesson.ErrorCause.MODEL_NOT_FOUND) {
      lostModels.notFound(ownName(model));
    }
  }

  private boolean works(AttemptHistory attemptHistory, ProviderLesson lesson) {
    return AttemptJudge.works(lesson.status()) && !refusesAccount(attemptHistory, lesson);
  }

  /**
   * Records an answer of an upstream that works. Only one that serves a request shows that its
   * account works, too; and if requests of models were refused, one of a model: lists and the like
   * may still be free.
   */
  private boolean answered(AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
    boolean served =
        lesson.status() < AttemptJudge.ERRORS && (attemptHistory.model() != null || !refusedModel);
    return served ? upstreamHealth.answered(now) : upstreamHealth.worked(now);
  }

  /**
   * Returns whether an answer refuses the gateway's own account. Where no dialect reads what it
   * says, the status has to do, if the gateway has a credential at all. An answer that refuses
   * something that the gateway has added is about that, and one to an upgrade is the client's.
   */
  private boolean refusesAccount(AttemptHistory attemptHistory, ProviderLesson lesson) {
    boolean credential = lesson.status() == 401 || lesson.status() == 402;
    boolean addition = !credential && !attemptHistory.additions().refused().isEmpty();
    boolean upgrade = attemptHistory.upgrade() && lesson.status() != 429;
    if (attemptHistory.ownCredentials() || spec.access().passthrough() || addition || upgrade) {
      return false;
    }
    return switch (lesson.cause()) {
      case SPENT, ACCOUNT -> true;
      case OTHER -> credential && spec.access().apiKey() != null;
      case RATE, DAY, TOO_LARGE, OVERLOADED, MODEL_NOT_FOUND -> false;
    };
  }

  private AttemptVerdict verdict(
      AttemptHistory attemptHistory, ProviderLesson lesson, Quota pool, long now) {
    Object tenant = ActiveKeys.name(attemptHistory.tenant());
    String model = ownName(attemptHistory.model());
    if (lesson.status() == 429) {
      pause(pool).countThrottled();
    }
    if (refusesAccount(attemptHistory, lesson)) {
      refusedModel = attemptHistory.model() != null;
      return attemptJudge.accountRefused(attemptHistory, lesson, now);
    }
    if (!AttemptJudge.limits(attemptHistory, lesson)) {
      return attemptJudge.of(attemptHistory, lesson, pause(pool), now);
    }
    RefusalScope scope = scope(attemptHistory, lesson, pool, now);
    PoolPause pause = pause(scope, tenant, model, pool, now);
    AttemptVerdict verdict = attemptJudge.of(attemptHistory, lesson, pause, now);
    holds.pausedUntil(model, pause.ends(now));
    return verdict;
  }

  /** Notes that a request was served; returns whether that ended a pause. */
  private boolean served(AttemptHistory attemptHistory, Quota pool, long now) {
    boolean ofPool = pause(pool).served(now);
    boolean ofAccount = accountPause.served(now);
    Object tenant = ActiveKeys.name(attemptHistory.tenant());
    boolean ofLess = holds.served(tenant, ownName(attemptHistory.model()), now);
    return ofPool || ofAccount || ofLess;
  }

  private PoolPause pause(RefusalScope scope, Object tenant, String model, Quota pool, long now) {
    PoolPause pause =
        switch (scope) {
          case TENANT -> holds.pause(model, tenant, now);
          case MODEL -> holds.pause(model, null, now);
          case POOL -> pause(pool);
          case ACCOUNT -> accountPause;
        };
    return pause == null ? pause(pool) : pause;
  }

  /**
   * Returns the pauses of less than a pool that hold a request; mostly none.
   *
   * @param tenant whose request it is
   * @param model the model that is asked for, under the client's name, or null
   */
  public List<UpstreamHold> holds(@Nullable Object tenant, @Nullable String model, long now) {
    return holds.of(ActiveKeys.name(tenant), ownName(model), now);
  }

  /**
   * Records the refusal that an answer is, if it is one, and returns whether the limits of the pool
   * may learn from the answer: a refusal has to be about the whole pool, by what is known now.
   */
  public boolean teaches(AttemptHistory attemptHistory, ProviderLesson lesson, long now) {
    if (attemptHistory.ownCredentials()) {
      return false;
    }
    if (!AttemptJudge.limits(attemptHistory, lesson)) {
      return true;
    }
    RefusalScope scope = scope(attemptHistory, lesson, pool(attemptHistory.model(), now), now);
    return scope.compareTo(RefusalScope.POOL) >= 0;
  }

  /** Records a refusal, and returns what it is about; a refusal may be recorded twice. */
  private RefusalScope scope(
      AttemptHistory attemptHistory, ProviderLesson lesson, Quota pool, long now) {
    Object tenant = ActiveKeys.name(attemptHistory.tenant());
    String model = ownName(attemptHistory.model());
    boolean shared = spec.budget().shared(spec.budget().poolOf(model)) != null;
    boolean alone = upstreamHealth.only(tenant, now);
    return holds.refused(tenant, model, pool, alone, lesson.names(model), shared, now);
  }

  /**
   * Records an attempt without an answer and returns what happens to its request.
   *
   * @param cause why there is none, in a few words for operators, without secrets
   */
  public AttemptVerdict judge(
      AttemptHistory attemptHistory, AttemptFailure failure, String cause, long now) {
    arrived(attemptHistory.tenant(), now);
    boolean well = upstreamHealth.well();
    long opens = health().opens(now);
    AttemptVerdict verdict = attemptJudge.of(attemptHistory, failure, cause, now);
    if ((well && !upstreamHealth.well()) || health().opens(now) < opens) {
      wake();
    }
    return verdict;
  }

  /**
   * Records that a request arrived that may go to it.
   *
   * @param tenant whose request it is: equal for all of one key, or without keys of one address
   */
  public void arrived(@Nullable Object tenant, long now) {
    if (upstreamHealth.arrived(tenant, now)) {
      wake();
    }
  }

  /** Wakes all waiters of its pools: they can go now, or should go to another upstream. */
  private void wake() {
    pools.values().forEach(pool -> pool.waitList().wake());
  }

  /** Records the time that a request took from its release until its last byte was written. */
  public void written(long afterReleaseNanos) {
    long measured = sendJitter.add(Math.max(0, afterReleaseNanos));
    if (measured != jitterNanos) {
      jitterNanos = measured;
      pools.values().forEach(pool -> pool.widen(measured));
    }
  }

  /** Returns the measured jitter of sending requests to it, in nanoseconds. */
  public long jitterNanos() {
    return jitterNanos;
  }

  @Override
  public String toString() {
    return spec.toString();
  }
}
