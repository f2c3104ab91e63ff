package io.penstock.simulator;

import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.slices.SyncPace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Several gateways that share one store, with clients that always ask for more than the limits
 * admit, in one thread and one true time. Everything is drawn from one seed.
 */
final class FleetSimulation {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;

  /** The start: ten seconds before the end of a day and of a month in UTC. */
  static final long START = 1_701_388_790L * SECOND + 321_123_456L;

  static final SyncPace PACE = new SyncPace(100 * MILLI, 2 * SECOND, SECOND);

  static final long RECOVERY = SimStore.recoveryNanos(PACE);

  /** Most tickets that wait at one instance; then no more arrive. */
  private static final int MOST_WAITING = 30;

  private static final List<OutagePolicy> POLICIES = List.of(OutagePolicy.values());

  /** Windows that are observed after all faults are over. */
  static final int WINDOWS = 2;

  private final long seed;
  private final Random random;
  private final SimClock clock = new SimClock(START);
  private final SimStore store;
  private final FleetPlan plan;
  private final OutagePolicy outagePolicy;
  private final FleetTroubles troubles;
  private final List<FleetInstance> instances = new ArrayList<>();
  private final Map<LimitId, List<SimRelease>> releases = new HashMap<>();

  /** Each limit as the instance has it that asked last. */
  private final Map<LimitId, LimitSpec> specs = new HashMap<>();

  /** The largest capacity of each limit that any instance has or had. */
  private final Map<LimitId, Long> capacities = new HashMap<>();

  /**
   * The instant since which each limit has been of one kind and length; for slots, of one distance.
   */
  private final Map<LimitId, Long> sameSince = new HashMap<>();

  private final FleetChoices choices = new FleetChoices(this);
  private final FleetProgress progress;
  private long longestWindow;
  private long until = Long.MAX_VALUE;

  FleetSimulation(long seed) {
    this.seed = seed;
    this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    this.store = new SimStore(clock, random, PACE.ttlNanos(), (member, now) -> {});
    store.onSlicesEnded(this::assertNothingLeft);
    this.plan = new FleetPlan(random, START);
    this.outagePolicy = POLICIES.get(random.nextInt(POLICIES.size()));
    this.troubles = new FleetTroubles(this, random);
    this.progress = new FleetProgress(this);
  }

  long seed() {
    return seed;
  }

  Random random() {
    return random;
  }

  SimClock clock() {
    return clock;
  }

  SimStore store() {
    return store;
  }

  FleetPlan plan() {
    return plan;
  }

  OutagePolicy onOutage() {
    return outagePolicy;
  }

  FleetTroubles troubles() {
    return troubles;
  }

  FleetProgress progress() {
    return progress;
  }

  FleetChoices choices() {
    return choices;
  }

  List<FleetInstance> instances() {
    return instances;
  }

  Map<LimitId, LimitSpec> specs() {
    return specs;
  }

  /** Records a limit as an instance is configured with it. */
  void configured(LimitId id, LimitSpec spec) {
    LimitSpec before = specs.put(id, spec);
    longestWindow = Math.max(longestWindow, SimWindows.length(spec));
    if (before != null && !isSameKind(before, spec)) {
      sameSince.put(id, clock.now());
      capacities.remove(id);
    }
    if (!(spec instanceof LimitSpec.Unlimited)) {
      capacities.merge(id, SimWindows.capacity(spec, wayNanos()), Math::max);
    }
  }

  private static boolean isSameKind(LimitSpec before, LimitSpec spec) {
    return before instanceof LimitSpec.Strict
        ? before.equals(spec)
        : before.getClass().equals(spec.getClass())
            && SimWindows.length(before) == SimWindows.length(spec);
  }

  /** Returns a limit as it counts for all instances: the smallest that any has. */
  LimitSpec spec(LimitId id) {
    LimitSpec least = specs.get(id);
    for (FleetInstance instance : instances) {
      LimitSpec own = instance.isEnded() ? null : instance.limits().spec(id);
      boolean sized = own != null && !(own instanceof LimitSpec.Strict) && isSameKind(least, own);
      if (sized && SimWindows.capacity(own, 0) < SimWindows.capacity(least, 0)) {
        least = own;
      }
    }
    return least;
  }

  List<SimRelease> releases(LimitId id) {
    return releases.getOrDefault(id, List.of());
  }

  /** Returns the instant at which it ends. */
  long until() {
    return until;
  }

  /** Runs to the end; throws a {@link InvariantViolation} if work is not done that could be. */
  void run() {
    store.loss = random.nextInt(3) * 0.05;
    store.twice = random.nextInt(3) * 0.05;
    store.slowest = List.of(5, 30, 150).get(random.nextInt(3)) * MILLI;
    for (int each = 2 + random.nextInt(4); each > 0; each--) {
      join();
    }
    long last = troubles.draw();
    clock.at(last, store::heal);
    clock.run(last, progress::rested);
    until = last + RECOVERY + (WINDOWS + 1) * longestWindow;
    clock.run(until, progress::rested);
    progress.ended();
  }

  /** Returns the length of the longest window other than those of days. */
  long longestWindow() {
    return longestWindow;
  }

  /** Adds one more instance with its clients. */
  FleetInstance join() {
    FleetInstance instance = new FleetInstance(this, "instance-" + instances.size(), plan);
    instances.add(instance);
    arrive(instance);
    return instance;
  }

  private void arrive(FleetInstance instance) {
    if (instance.isEnded()) {
      return;
    }
    FleetRequests requests = instance.requests();
    if (instance.serves() && requests.waiting() < MOST_WAITING) {
      EndpointSpec endpoint = plan.endpoints.get(random.nextInt(plan.endpoints.size()));
      requests.submit(endpoint.path(), endpoint.shadow() ? null : key(), ask());
      FleetTicket oldest = requests.oldest();
      if (random.nextInt(50) == 0 && oldest != null) {
        requests.cancel(oldest);
      }
    }
    long mean = requests.waiting() < MOST_WAITING / 2 ? 40 * MILLI : 400 * MILLI;
    clock.at(
        clock.now() + 1 + (long) (-mean * Math.log(1 - random.nextDouble())),
        () -> arrive(instance));
  }

  private @Nullable FleetKey key() {
    return plan.keys.isEmpty() || random.nextInt(4) == 0
        ? null
        : plan.keys.get(random.nextInt(plan.keys.size()));
  }

  private FleetAsk ask() {
    String model = plan.asked.isEmpty() ? null : plan.asked.get(random.nextInt(plan.asked.size()));
    String conversation =
        plan.conversations && random.nextBoolean() ? "conversation-" + random.nextInt(4) : null;
    return new FleetAsk(cost(), model, conversation);
  }

  private Cost cost() {
    long input = random.nextLong(plan.largest) + 1;
    return new Cost(input, random.nextLong(input + 1) / 2, 0);
  }

  /** Returns whether an attempt does not reach its upstream. */
  boolean isFailing(String upstream, FleetTicket ticket) {
    return choices.isDown(upstream)
        || (plan.unsent > 0 && ticket.failed == 0 && random.nextDouble() < plan.unsent);
  }

  /** Returns how long an upstream takes to answer. */
  long serviceNanos() {
    return random.nextLong(SECOND);
  }

  /** Records an amount that an instance let pass a limit. */
  SimRelease released(LimitId id, String by, long amount) {
    SimRelease release = new SimRelease(by, clock.now(), amount);
    releases.computeIfAbsent(id, absent -> new ArrayList<>()).add(release);
    progress.released();
    return release;
  }

  private void assertNothingLeft(String member, LimitId id) {
    if (outagePolicy == OutagePolicy.PARK || outagePolicy == OutagePolicy.REFUSE) {
      instances.stream()
          .filter(each -> each.name().equals(member) && !each.isEnded())
          .forEach(each -> each.limits().assertNothingLeft(id, each.local()));
    }
  }

  /** Returns the longest time that an accepted answer of the store is under way. */
  private long wayNanos() {
    return Math.min(2 * store.slowest + MILLI, PACE.timeoutNanos());
  }

  /**
   * Returns, by limit, how much more passed than may, beyond the losses that no instance could have
   * known of.
   */
  Map<LimitId, Long> over() {
    Map<LimitId, Long> over = new HashMap<>();
    releases.forEach(
        (id, each) -> {
          LimitSpec spec = specs.get(id);
          long from = sameSince.containsKey(id) ? sameSince.get(id) + RECOVERY + longestWindow : 0;
          List<SimRelease> since = each.stream().filter(release -> release.at >= from).toList();
          long most = SimWindows.most(spec, since, 0) - capacities.get(id);
          long excess =
              spec instanceof LimitSpec.Strict strict
                  ? Math.ceilDiv(Math.max(0, most), strict.rate().intervalNanos())
                  : most;
          long bound = store.losses().unknown(id) + store.losses().unnoticed(id);
          if (excess > bound) {
            over.put(id, excess);
          }
        });
    return over;
  }

  @Override
  public String toString() {
    return "seed %d, %s, %s, %d instances, %s"
        .formatted(seed, outagePolicy, troubles.drawn(), instances.size(), specs);
  }
}
