package io.penstock.simulator;

import io.penstock.sharing.OutagePolicy;
import io.penstock.slices.SyncPace;
import java.util.List;
import java.util.Random;

/** The true time of a simulated fleet, its store, its configuration, and the source of chance. */
final class FleetWorld {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;

  /** The start: ten seconds before the end of a day and of a month in UTC. */
  static final long START = 1_701_388_790L * SECOND + 321_123_456L;

  static final SyncPace PACE = new SyncPace(100 * MILLI, 2 * SECOND, SECOND);

  static final long RECOVERY = SimStore.recoveryNanos(PACE);

  private static final List<OutagePolicy> POLICIES = List.of(OutagePolicy.values());

  private final Random random;
  private final SimClock clock = new SimClock(START);
  private final SimStore store;
  private final FleetPlan plan;
  private final OutagePolicy outagePolicy;

  FleetWorld(long seed) {
    this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    this.store = new SimStore(clock, random, PACE.ttlNanos(), (member, now) -> {});
    this.plan = new FleetPlan(random, START);
    this.outagePolicy = POLICIES.get(random.nextInt(POLICIES.size()));
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
}
