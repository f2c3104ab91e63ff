package io.penstock.simulator;

import io.penstock.shares.ShareTerms;
import io.penstock.sharing.OutagePolicy;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The true time of a simulated fleet, its store, its configuration, and the source of chance. */
final class FleetWorld {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;

  /** The start: ten seconds before the end of a day and of a month in UTC. */
  static final long START = 1_701_388_790L * SECOND + 321_123_456L;

  /** For how long a share holds without an answer of the store. */
  static final long LEASE = 2 * SECOND;

  private static final long BEAT = LEASE / 4;
  private static final long TIMEOUT = LEASE / 2;
  private static final long CALL = 100 * MILLI;

  private static final List<OutagePolicy> POLICIES = List.of(OutagePolicy.values());

  private final Random random;
  private final SimClock clock = new SimClock(START);
  private final SimStore store;
  private final FleetPlan plan;
  private final OutagePolicy outagePolicy;

  /** Draws a world, but for its policy if one is given. */
  FleetWorld(long seed, @Nullable OutagePolicy only) {
    this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    this.store = new SimStore(clock, random, LEASE);
    this.plan = new FleetPlan(random);
    OutagePolicy drawn = POLICIES.get(random.nextInt(POLICIES.size()));
    this.outagePolicy = only == null ? drawn : only;
  }

  /**
   * Returns the longest time from the last fault until all instances are granted again as much as
   * the limits admit. An answer is given up after its timeout; then instances that are gone are
   * watched for a lease, or for two if another loss is found meanwhile; then what they spent in
   * windows of a length has to decay.
   */
  static long recoveryNanos(long windowNanos) {
    return TIMEOUT + 3 * LEASE + windowNanos + 3 * SECOND;
  }

  /** Returns the times of the protocol. */
  ShareTerms terms() {
    boolean continues = outagePolicy == OutagePolicy.CONTINUE || outagePolicy == OutagePolicy.ALLOW;
    return new ShareTerms(LEASE, BEAT, TIMEOUT, CALL, LEASE, continues);
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
