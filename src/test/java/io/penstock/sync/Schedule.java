package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.START;

import io.penstock.limit.LimitSpec;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** What happens to members and their store, as one seed has it. */
final class Schedule {
  /** What goes wrong. */
  enum Fault {
    LOSS,
    REPEATED,
    REORDERED,
    LATE,
    CRASH,
    RESTART,
    FLUSH,
    ROLLBACK,
    NEW_LIFE,
    CUT,
    PARTITION,
    FORGOTTEN,
    JOIN
  }

  /** Seeds that follow each other begin alike otherwise. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final long UNTIL = START + 25 * SECOND;

  private final Random random;
  private final World world;
  private final Set<Fault> faults = EnumSet.noneOf(Fault.class);

  private Schedule(long seed) {
    random = new Random(seed * SPREAD);
    world = new World(seed, Kinds.draw(random));
  }

  /** Runs the schedule of a seed. */
  static Schedule of(long seed) {
    Schedule schedule = new Schedule(seed);
    schedule.run();
    return schedule;
  }

  private void run() {
    world.loss = random.nextInt(3) * 0.05;
    world.twice = random.nextInt(3) * 0.05;
    world.slowest = List.of(5, 300, 1_500).get(random.nextInt(3)) * MILLI;
    int members = 2 + random.nextInt(9);
    for (int each = 0; each < members; each++) {
      Node node = world.join();
      offer(node);
      giveBack(node);
    }
    for (int troubles = 1 + random.nextInt(3); troubles > 0; troubles--) {
      trouble(START + SECOND + random.nextLong(16 * SECOND));
    }
    world.run(UNTIL);
    add(Fault.LOSS, world.lost > 0);
    add(Fault.REPEATED, world.repeated > 0);
    add(Fault.REORDERED, world.reordered > 0);
    add(Fault.LATE, world.slowest > SECOND);
  }

  private void add(Fault fault, boolean happened) {
    if (happened) {
      faults.add(fault);
    }
  }

  private void offer(Node node) {
    offer(node, SECOND / (1 + random.nextInt(60)));
  }

  /** The next comes after a random time, and so on. */
  private void offer(Node node, long meanNanos) {
    long next = world.now() + 1 + (long) (-meanNanos * Math.log(1 - world.random.nextDouble()));
    if (next < UNTIL) {
      world.at(
          next,
          () -> {
            if (node.waits() < 100) {
              node.arrive(1 + world.random.nextLong(largest()));
            }
            offer(node, meanNanos);
          });
    }
  }

  private long largest() {
    return world.spec instanceof LimitSpec.Strict ? 1 : 20;
  }

  private void giveBack(Node node) {
    long next = world.now() + world.random.nextLong(SECOND);
    if (next < UNTIL) {
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
    boolean restarted = random.nextBoolean();
    Node node = some();
    switch (random.nextInt(10)) {
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
        world.at(at, () -> world.cut = true);
        world.at(at + random.nextLong(5 * SECOND), () -> world.cut = false);
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
        world.at(at, world::lose);
      }
      default -> join(Fault.JOIN, at);
    }
  }

  private void crash(Node node, long at) {
    faults.add(Fault.CRASH);
    world.at(at, node::crash);
  }

  private void join(Fault as, long at) {
    faults.add(as);
    world.at(at, () -> offer(world.join()));
  }

  private void rollback(Fault as, long at, long to, boolean newLife) {
    faults.add(as);
    add(Fault.NEW_LIFE, newLife);
    world.at(at, () -> world.rollback(to, newLife));
  }

  private void partition(Node node, long at, long lasts) {
    faults.add(Fault.PARTITION);
    world.at(at, () -> world.away.add(node.name()));
    world.at(at + lasts, () -> world.away.remove(node.name()));
  }

  World world() {
    return world;
  }

  Set<Fault> faults() {
    return faults;
  }

  /** By how much more passed in any window than may. */
  long over() {
    return Math.max(0, world.most() - Kinds.capacity(world.spec, world.wayNanos()));
  }
}
