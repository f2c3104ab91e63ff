package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointServices;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.TicketDirectory;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import io.penstock.shares.CountedLimits;
import io.penstock.shares.ShareSlots;
import io.penstock.shares.ShareSync;
import io.penstock.shares.SharedLimit;
import io.penstock.shares.SharedLimitSource;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One gateway of a simulated fleet: the production dispatcher on production limits that it shares
 * with the others. Its clocks are inaccurate; it may crash, leave, or be stopped for a while as by
 * SIGSTOP.
 */
final class FleetInstance {
  /** By how much a wall clock may be wrong at most. */
  private static final long WALL_NANOS = 500_000_000;

  /** Longer than any request takes. */
  private static final long PERMIT_NANOS = 2 * FleetWorld.SECOND;

  private final FleetChoices choices;
  private final String name;
  private final SimClock clock;
  private final long offset;
  private final double drift;
  private final FleetLimits limits;
  private final ShareSlots slots;
  private final UpstreamRegistry upstreamRegistry;
  private final EndpointRegistry registry;
  private final ModelQuotas models;
  private final AtomicLong arrivals = new AtomicLong();
  private final Map<String, CallerAccount> accounts = new HashMap<>();
  private final FleetRequests requests;

  private final Deque<Runnable> whenResumed = new ArrayDeque<>();
  private long wallOffset;
  private int alarms;
  private boolean ended;
  private boolean stopped;

  FleetInstance(FleetWorld world, FleetLedger ledger, FleetChoices choices, String name) {
    this.choices = choices;
    this.name = name;
    this.clock = world.clock();
    FleetPlan plan = world.plan();
    this.offset = world.random().nextLong(4_000_000_000L) - FleetWorld.START;
    this.drift = (world.random().nextDouble() - 0.5) * 100e-6;
    this.wallOffset = world.random().nextLong(2 * WALL_NANOS) - WALL_NANOS;
    this.slots = slots(world);
    SharedLimit.Terms terms = new SharedLimit.Terms(world.onOutage(), false, false, PERMIT_NANOS);
    this.limits =
        new FleetLimits(
            new SharedLimitSource(
                slots, id -> SharingMode.EXACT, terms, this::local, this::unixMillis),
            ledger);
    this.upstreamRegistry = UpstreamFixture.registry(limits, plan.window);
    this.models = new ModelQuotas(limits, plan.window);
    models.configure(List.of(), plan.models, local());
    this.requests = new FleetRequests(world, ledger, choices, this);
    this.registry =
        new EndpointRegistry(
            new EndpointServices(
                upstreamRegistry,
                models,
                limits,
                this::local,
                this::driver,
                requests::heard,
                arrivals,
                new TicketDirectory(),
                (key, group, model, used) -> {}));
    models.whenChanged(registry::termsChanged);
    plan.keys.forEach(this::open);
    registry.apply(List.copyOf(plan.endpoints));
    slots.start();
  }

  private ShareSlots slots(FleetWorld world) {
    ShareSync sync =
        new ShareSync(
            name,
            world.store()::carry,
            this::local,
            new Alarm(),
            world.terms(),
            new CountedLimits(() -> 0, 1_000_000_000, id -> true, OutagePolicy.CONTINUE, local()),
            world.random()::nextDouble);
    world.store().listen(name, sync::changed);
    return new ShareSlots(List.of(sync));
  }

  /** Applies another configuration. */
  void reload(List<EndpointSpec> endpoints) {
    run(() -> registry.apply(List.copyOf(endpoints)));
  }

  /** Applies an operator's limits of a model. */
  void override(String model, ModelLimits limits) {
    run(() -> models.override(model, limits, local()));
  }

  /** Applies an operator's change to the limits of a key. */
  void change(FleetKey key) {
    run(
        () -> {
          metered(key, LimitId.Kind.KEY);
          registry.termsChanged();
        });
  }

  private void open(FleetKey key) {
    List<Quota> quotas = new ArrayList<>();
    quotas.add(Quota.ofKey(key.name(), metered(key, LimitId.Kind.KEY)));
    FleetKey group = key.group();
    if (group != null) {
      quotas.add(new Quota(group.name(), ChargeRule.TOTAL, metered(group, LimitId.Kind.GROUP)));
    }
    accounts.put(key.name(), new CallerAccount(key.name(), key.waits(), (model, now) -> quotas));
  }

  private List<MeteredLimit> metered(FleetKey key, LimitId.Kind kind) {
    List<MeteredLimit> metered = new ArrayList<>();
    key.limits()
        .forEach(
            (measure, spec) -> {
              LimitId id =
                  new LimitId(kind, key.name(), "", measure, FleetLimits.durationNanos(spec));
              RefusalReason reason =
                  measure == LimitMeasure.REQUESTS ? RefusalReason.KEY_RPM : RefusalReason.KEY_TPM;
              metered.add(new MeteredLimit(measure, limits.limit(id, own(spec), local()), reason));
            });
    return metered;
  }

  /** Returns a limit whose day ends by this instance's wall clock. */
  private LimitSpec own(LimitSpec spec) {
    return spec instanceof LimitSpec.Day(long capacity, ZoneMidnights midnights, long guard)
            && midnights != null
        ? new LimitSpec.Day(
            capacity,
            new ZoneMidnights(midnights.zone(), this::unixMillis, midnights.each()),
            guard)
        : spec;
  }

  String name() {
    return name;
  }

  FleetLimits limits() {
    return limits;
  }

  /** Returns whether it is neither stopped nor ended. */
  boolean serves() {
    return !ended && !stopped;
  }

  boolean isEnded() {
    return ended;
  }

  FleetRequests requests() {
    return requests;
  }

  Upstream upstream(String id) {
    return Objects.requireNonNull(upstreamRegistry.find(id));
  }

  ModelQuotas models() {
    return models;
  }

  Endpoint endpoint(String path) {
    return Objects.requireNonNull(registry.find(path));
  }

  CallerAccount account(FleetKey key) {
    return Objects.requireNonNull(accounts.get(key.name()));
  }

  /** Returns the number of the next request. */
  long nextArrival() {
    return arrivals.get();
  }

  /** Throws if a ticket waits for an upstream that has answered for long and is not tried. */
  void assertUpstreamsTried() {
    for (Upstream upstream : upstreamRegistry.all()) {
      String id = upstream.spec().id();
      if (upstream.health().onTrial() && requests.waitsFor(id) && choices.isWellForLong(name, id)) {
        throw new InvariantViolation(name + " still takes " + id + " for unhealthy");
      }
    }
  }

  /** Returns the true time. */
  long now() {
    return clock.now();
  }

  /** Returns the time of its own clock. */
  long local() {
    return localAt(clock.now());
  }

  /** Returns the time of its wall clock, in nanoseconds. */
  long unixNanos() {
    return clock.now() + wallOffset;
  }

  private long unixMillis() {
    return unixNanos() / FleetWorld.MILLI;
  }

  /** Sets its wall clock forward or, by a negative amount, back. */
  void stepWall(long nanos) {
    wallOffset += nanos;
  }

  private long localAt(long time) {
    return time + offset + (long) ((time - FleetWorld.START) * drift);
  }

  private long trueTime(long instant) {
    long time = instant - offset;
    time -= (long) ((time - FleetWorld.START) * drift);
    for (long lacks = instant - localAt(time); lacks > 0; lacks = instant - localAt(time)) {
      time += lacks;
    }
    return time;
  }

  /** Ends at once; its waiting tickets are lost. */
  void crash() {
    ended = true;
    requests.forget();
  }

  /** Ends as on SIGTERM: its waiting tickets are cancelled, and it gives up its shares. */
  void leave() {
    if (!ended && !stopped) {
      requests.cancelAll();
      var _ = slots.leave();
      ended = true;
    }
  }

  /** Stops everything, as by SIGSTOP. */
  void stop() {
    stopped = true;
  }

  /** Continues with everything that was due meanwhile. */
  void resume() {
    stopped = false;
    for (Runnable step = whenResumed.poll(); step != null; step = whenResumed.poll()) {
      run(step);
    }
  }

  /** Runs a step unless it ended; if it is stopped, after it continues. */
  private void run(Runnable step) {
    if (stopped) {
      whenResumed.add(step);
    } else if (!ended) {
      step.run();
    }
  }

  /** Runs a step later, by the true time. */
  void later(long instant, Runnable step) {
    later(instant, 0, step);
  }

  private void later(long instant, int rank, Runnable step) {
    clock.at(instant, rank, () -> run(step));
  }

  private StepAlarm driver(LimitAlgorithm algorithm) {
    return new Alarm();
  }

  /** Runs the steps of one part of the instance. */
  private final class Alarm implements StepAlarm {
    private final int rank = ++alarms;
    private long asked;

    @Override
    public void soon(Runnable step) {
      later(clock.now(), rank, step);
    }

    @Override
    public void at(long instantNanos, Runnable step) {
      long mine = ++asked;
      if (instantNanos != Ticker.NEVER) {
        later(trueTime(instantNanos), rank, () -> runIf(mine == asked, step));
      }
    }
  }

  private static void runIf(boolean still, Runnable step) {
    if (still) {
      step.run();
    }
  }
}
