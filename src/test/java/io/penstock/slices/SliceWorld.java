package io.penstock.slices;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.simulator.SimClock;
import io.penstock.simulator.SimRelease;
import io.penstock.simulator.SimStore;
import io.penstock.simulator.SimWindows;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Members that share one limit through a store, without a dispatcher, in one thread, with one true
 * time that is also the store's.
 */
public final class SliceWorld {
  public static final long MILLI = 1_000_000L;
  public static final long SECOND = 1_000 * MILLI;
  public static final long TTL = 2 * SECOND;
  static final SyncPace PACE = new SyncPace(100 * MILLI, TTL, SECOND);

  /** True time at which the simulation starts, somewhere within a cell. */
  static final long START = 1_700_000_000L * SECOND + 4_321_123_456L;

  static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, 10 * SECOND);

  final Random random;
  final LimitSpec spec;
  final SimClock clock = new SimClock(START);
  public final SimStore store;
  final List<SimRelease> releases = new ArrayList<>();
  public final List<SliceNode> nodes = new ArrayList<>();
  final RunningPermits permits = new RunningPermits();

  /** Minimum time for which a request holds its permit; the maximum is 3 s longer. */
  long shortestRun;

  public OutagePolicy onOutage = OutagePolicy.PARK;
  private long wayNanos;

  public SliceWorld(long seed, LimitSpec spec) {
    this.random = new Random(seed);
    this.spec = spec;
    this.store = new SimStore(clock, random, TTL, permits::heard);
    store.onSlicesEnded((member, id) -> assertNothingLeft(member));
  }

  public long now() {
    return clock.now();
  }

  private void assertNothingLeft(String member) {
    if (onOutage == OutagePolicy.PARK || onOutage == OutagePolicy.REFUSE) {
      nodes.stream()
          .filter(sliceNode -> sliceNode.name().equals(member))
          .forEach(SliceNode::assertNothingLeft);
    }
  }

  void at(long instant, Runnable what) {
    clock.at(instant, what);
  }

  public void run(long until) {
    clock.run(until);
  }

  /** Runs as {@link SimClock#run(long, Runnable)} does. */
  void run(long until, Runnable rested) {
    clock.run(until, rested);
  }

  public SliceNode join() {
    return join(spec);
  }

  /** Adds a member with a different configuration of the same limit. */
  SliceNode join(LimitSpec spec) {
    SliceNode sliceNode = new SliceNode(this, "node-" + nodes.size(), spec);
    nodes.add(sliceNode);
    sliceNode.start();
    return sliceNode;
  }

  long released(long from, long until) {
    return releases.stream()
        .filter(each -> each.at >= from && each.at < until)
        .mapToLong(each -> each.amount)
        .sum();
  }

  /** Delivers every message to the store once and in time from now on. */
  void heal() {
    wayNanos = wayNanos();
    store.heal();
  }

  /** Returns the longest round-trip time, so far, of an answer that is accepted. */
  long wayNanos() {
    return Math.max(wayNanos, Math.min(2 * store.slowest + MILLI, PACE.timeoutNanos()));
  }

  /** Returns the largest amount released in any window of the true time. */
  long most() {
    return SimWindows.most(spec, releases, 0);
  }

  /**
   * Returns the largest amount of the releases in any window that starts {@code early} before a
   * cell.
   */
  static long most(LimitSpec of, List<SimRelease> releases, long early) {
    return SimWindows.most(of, releases, early);
  }
}
