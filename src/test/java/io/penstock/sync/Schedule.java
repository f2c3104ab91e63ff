package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.START;

import io.penstock.limit.LimitSpec;
import io.penstock.sim.SimStore;
import io.penstock.sim.SimWindows;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random schedule of events for members and their store, determined by a seed. */
final class Schedule {
  /** Faults. */
  enum Fault {
    LOSS,
    REPEATED,
    REORDERED,
    LATE,
    CRASH,
    RESTART,
    FLUSH,
    ROLLBACK,
    IN_PLACE,
    CUT,
    PARTITION,
    FORGOTTEN,
    JOIN,
    LEAVE,
    /** The store is another process, with all its data. */
    NOTHING_LOST,
    /** All members that knew of a loss were gone before the next grant. */
    UNKNOWN
  }

  /** Spreads seeds, because adjacent ones begin with similar numbers. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final long RECOVERY = SimStore.recoveryNanos(World.PACE);

  /** Number of windows that are checked after recovery. */
  private static final int WINDOWS = 2;

  private static final List<OnOutage> POLICIES = List.of(OnOutage.values());

  private final Random random;
  private final World world;
  private final Set<Fault> faults = EnumSet.noneOf(Fault.class);
  private final ScheduleProgress progress;
  private long last = START;
  private long until = Long.MAX_VALUE;

  private Schedule(long seed) {
    random = new Random(seed * SPREAD);
    world = new World(seed, Kinds.draw(random));
    world.onOutage =
        random.nextBoolean() ? OnOutage.PARK : POLICIES.get(random.nextInt(POLICIES.size()));
    progress = new ScheduleProgress(world);
  }

  /** Runs the schedule of a seed. */
  static Schedule of(long seed) {
    Schedule schedule = new Schedule(seed);
    schedule.run();
    return schedule;
  }

  private void run() {
    world.store.loss = random.nextInt(3) * 0.05;
    world.store.twice = random.nextInt(3) * 0.05;
    world.store.slowest =
        (random.nextInt(10) == 0 ? 1_500 : List.of(5, 100, 300).get(random.nextInt(3))) * MILLI;
    int members = 2 + random.nextInt(9);
    for (int each = 0; each < members; each++) {
      Node node = world.join();
      offer(node);
      giveBack(node);
    }
    for (int troubles = 1 + random.nextInt(3); troubles > 0; troubles--) {
      trouble(START + SECOND + random.nextLong(16 * SECOND));
    }
    at(last, world::heal);
    boolean late = world.store.slowest > SECOND;
    until = last + RECOVERY + (WINDOWS + 1) * SimWindows.length(world.spec);
    progress.wellFrom(last + RECOVERY);
    world.run(until, progress::rested);
    add(Fault.LOSS, world.store.lost > 0);
    add(Fault.REPEATED, world.store.repeated > 0);
    add(Fault.REORDERED, world.store.reordered > 0);
    add(Fault.LATE, late);
    add(Fault.UNKNOWN, world.store.losses().unknown(World.ID) > 0);
  }

  private void at(long instant, Runnable what) {
    last = Math.max(last, instant);
    world.at(instant, what);
  }

  private void add(Fault fault, boolean happened) {
    if (happened) {
      faults.add(fault);
    }
  }

  private void offer(Node node) {
    offer(node, SECOND / (1 + random.nextInt(60)));
  }

  /** Sends requests one after another, with random pauses. */
  private void offer(Node node, long meanNanos) {
    long next = world.now() + 1 + (long) (-meanNanos * Math.log(1 - world.random.nextDouble()));
    if (next < until) {
      world.at(
          next,
          () -> {
            if (node.waits() < 100) {
              node.arrive(1 + world.random.nextLong(Kinds.largest(world.spec)));
            }
            offer(node, meanNanos);
          });
    }
  }

  private void giveBack(Node node) {
    long next = world.now() + world.random.nextLong(SECOND);
    if (next < until) {
      world.at(
          next,
          () -> {
            node.giveBack();
            giveBack(node);
          });
    }
  }

  private Node some() {
    return world.nodes.get(random.nextInt(world.nodes.size()));
  }

  private void trouble(long at) {
    boolean restarted = random.nextInt(4) > 0;
    Node node = some();
    switch (random.nextInt(16)) {
      case 0 -> crash(node, at);
      case 1 -> {
        crash(node, at);
        join(Fault.RESTART, at + random.nextLong(SECOND));
      }
      case 2 -> rollback(Fault.FLUSH, at, Long.MIN_VALUE, restarted);
      case 3 -> rollback(Fault.ROLLBACK, at, at - random.nextLong(5 * SECOND), restarted);
      case 4 -> {
        crash(node, at);
        rollback(Fault.ROLLBACK, at + random.nextLong(100 * MILLI), at - 5 * SECOND, restarted);
      }
      case 5 -> {
        faults.add(Fault.CUT);
        at(at, () -> world.store.cut = true);
        at(at + random.nextLong(5 * SECOND), () -> world.store.cut = false);
      }
      case 6 -> partition(node, at, random.nextLong(6 * SECOND));
      case 7 -> {
        long lasts = random.nextLong(6 * SECOND);
        partition(node, at, lasts);
        long then = at + random.nextLong(lasts + 1);
        rollback(Fault.ROLLBACK, then, then - 5 * SECOND, restarted);
      }
      case 8 -> {
        faults.add(Fault.FORGOTTEN);
        at(at, () -> world.store.lose(World.ID));
      }
      case 9 -> {
        crash(node, at);
        long then = at + random.nextLong(100 * MILLI);
        rollback(Fault.ROLLBACK, then, then - 5 * SECOND, true);
        join(Fault.RESTART, then + random.nextLong(SECOND));
      }
      case 10 -> allGo(at);
      case 11 -> {
        leave(node, at);
        nothingLost(at + random.nextLong(3 * SECOND));
      }
      case 12 -> {
        leave(node, at);
        rollback(Fault.ROLLBACK, at + random.nextLong(SECOND), at - 2 * SECOND, restarted);
      }
      case 13 -> {
        crash(node, at);
        nothingLost(at + random.nextLong(6 * SECOND));
        join(Fault.RESTART, at + random.nextLong(6 * SECOND));
      }
      case 14 -> {
        partition(node, at, random.nextLong(6 * SECOND));
        nothingLost(at + random.nextLong(6 * SECOND));
      }
      default -> join(Fault.JOIN, at);
    }
  }

  private void crash(Node node, long at) {
    faults.add(Fault.CRASH);
    at(at, node::crash);
  }

  private void leave(Node node, long at) {
    faults.add(Fault.LEAVE);
    at(at, node::leave);
  }

  private void nothingLost(long at) {
    faults.add(Fault.NOTHING_LOST);
    at(at, () -> world.store.rollback(at, true));
  }

  private void join(Fault as, long at) {
    faults.add(as);
    at(at, () -> offer(world.join()));
  }

  private void rollback(Fault as, long at, long to, boolean restarted) {
    faults.add(as);
    add(Fault.IN_PLACE, !restarted);
    at(at, () -> world.store.rollback(to, restarted));
  }

  /** Crashes all members; the ones that join know nothing of their spending. */
  private void allGo(long at) {
    long last = at + 1 + random.nextLong(2 * SECOND);
    for (Node each : List.copyOf(world.nodes)) {
      crash(each, at + random.nextLong(last - at));
    }
    long then = at + random.nextLong(last - at + SECOND / 2);
    rollback(Fault.ROLLBACK, then, then - random.nextLong(5 * SECOND), true);
    for (int joins = 1 + random.nextInt(3); joins > 0; joins--) {
      join(Fault.RESTART, at + random.nextLong(3 * SECOND));
    }
  }

  private void partition(Node node, long at, long lasts) {
    faults.add(Fault.PARTITION);
    at(at, () -> world.store.away.add(node.name()));
    at(at + lasts, () -> world.store.away.remove(node.name()));
  }

  ScheduleProgress progress() {
    return progress;
  }

  World world() {
    return world;
  }

  Set<Fault> faults() {
    return faults;
  }

  /** Returns the largest excess over the limit in any window; for slots, how many came too soon. */
  long over() {
    long over = Math.max(0, world.most() - SimWindows.capacity(world.spec, world.wayNanos()));
    return world.spec instanceof LimitSpec.Strict strict
        ? Math.ceilDiv(over, strict.rate().intervalNanos())
        : over;
  }

  /** Returns the largest excess that may occur because no remaining member could know of a loss. */
  long bound() {
    return world.store.losses().unknown(World.ID) + world.store.losses().unnoticed(World.ID);
  }
}
