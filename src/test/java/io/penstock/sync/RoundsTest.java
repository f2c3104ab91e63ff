package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.TrailingChecker;
import io.penstock.limit.LimitSpec;
import io.penstock.sim.SimWindows;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoundsTest {
  private static final int SEEDS = Math.min(5_000, Integer.getInteger("penstock.sim.seeds", 500));

  /** Spreads seeds, because adjacent ones begin with similar numbers. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(3_000, 10 * SECOND);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(
          6_000, 12 * SECOND, 50 * MILLI, LimitSpec.TrailingWindow.UNPACED);

  /** Sends requests to a member, one after another with random pauses. */
  static void offer(World world, Node node, long meanNanos, long largest, long until) {
    long next = world.now() + 1 + (long) (-meanNanos * Math.log(1 - world.random.nextDouble()));
    if (next < until) {
      world.at(
          next,
          () -> {
            if (node.waits() < 100) {
              node.arrive(1 + world.random.nextLong(largest));
            }
            offer(world, node, meanNanos, largest, until);
          });
    }
  }

  private static World saturated(LimitSpec spec, int members, double first, long until) {
    World world = new World(members, spec);
    for (int each = 0; each < members; each++) {
      double share = each == 0 ? first : (1 - first) / (members - 1);
      // One limit lets 300 a second pass, the other 500; 1,500 requests of 2 on average arrive.
      offer(world, world.join(), (long) (SECOND / (1_500 * share)), 3, until);
    }
    world.run(until);
    return world;
  }

  private static void assertUsed(World world, long capacity, long window, double least) {
    long from = Math.ceilDiv(START + 20 * SECOND, window) * window;
    long until = world.now() / window * window;
    double offered = (double) capacity * (until - from) / window;
    assertThat(world.most()).isLessThanOrEqualTo(capacity);
    double used = world.released(from, until) / offered;
    if (Boolean.getBoolean("penstock.deep")) {
      int members = world.nodes.size();
      System.out.printf("%d members use %.2f %% of %s%n", members, 100 * used, world.spec);
    }
    assertThat(used).isGreaterThanOrEqualTo(least);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void evenLoad_usesNearlyAllOfAFixedWindow(int members) {
    World world = saturated(FIXED, members, 1.0 / members, START + 80 * SECOND);
    assertUsed(world, 3_000, 10 * SECOND, 0.97);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void evenLoad_usesNearlyAllOfATrailingWindow(int members) {
    World world = saturated(TRAILING, members, 1.0 / members, START + 80 * SECOND);
    assertUsed(world, 6_000, 12 * SECOND, 0.97);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 10})
  void oneMemberWithNineTenths_usesNearlyAll(int members) {
    World fixed = saturated(FIXED, members, 0.9, START + 80 * SECOND);
    assertUsed(fixed, 3_000, 10 * SECOND, 0.95);
    World trailing = saturated(TRAILING, members, 0.9, START + 80 * SECOND);
    assertUsed(trailing, 6_000, 12 * SECOND, 0.95);
  }

  /**
   * All requests of a minute arrive in its first seconds, and their amounts return as they were
   * spent.
   */
  @ParameterizedTest
  @ValueSource(doubles = {1.0 / 3, 0.9})
  void askedForAtOnce_isSpentAtOnceAndComesBackASixtiethLater(double first) {
    World world = new World(3, new LimitSpec.SlidingWindow(6_000, 60 * SECOND));
    long until = START + 320 * SECOND;
    for (int each = 0; each < 3; each++) {
      double share = each == 0 ? first : (1 - first) / 2;
      offer(world, world.join(), (long) (SECOND / (3_000 * share)), 1, until);
    }
    world.run(until);
    assertThat(world.most()).isLessThanOrEqualTo(6_000);
    TrailingChecker key = new TrailingChecker(6_000, 60 * SECOND);
    world.releases.forEach(each -> key.charge(each.at - START, each.amount));
    // nothing is kept in stock while a ticket waits
    assertThat(world.released(START, START + 7 * SECOND)).isEqualTo(6_000);
    double used = key.mean(70 * SECOND, 310 * SECOND) / 6_000;
    assertThat(used).isGreaterThanOrEqualTo(0.97);
  }

  @Test
  void belowTheLimit_waitsHardlyEver() {
    World world = new World(7, FIXED);
    for (int each = 0; each < 3; each++) {
      Node node = world.join();
      world.run(START + 3 * SECOND);
      offer(world, node, SECOND / 40, 3, START + 60 * SECOND); // 240 of 300 a second
    }
    world.run(START + 10 * SECOND);
    world.nodes.forEach(node -> node.longestWait = 0);
    world.run(START + 60 * SECOND);
    assertThat(world.nodes).allMatch(node -> node.waits() == 0 && node.longestWait < SECOND / 2);
  }

  @Test
  void joiner_isGrantedNothingForAsLongAsASliceLasts() {
    World world = new World(1, FIXED);
    Node node = world.join();
    node.arrive(1);
    world.run(START + 2 * SECOND);
    assertThat(world.releases).isEmpty();
    world.run(START + 3 * SECOND);
    assertThat(world.releases).hasSize(1);
  }

  @Test
  void whoLeaves_givesBackWhatItDidNotSpend() {
    World world = new World(1, FIXED);
    Node goes = world.join();
    Node stays = world.join();
    world.run(START + 3 * SECOND);
    goes.arrive(2_000);
    world.run(START + 3 * SECOND + SECOND / 2);
    goes.leave();
    world.run(START + 4 * SECOND);
    stays.arrive(1_000);
    world.run(START + 5 * SECOND);
    assertThat(world.releases).extracting(each -> each.amount).containsExactly(2_000L, 1_000L);
  }

  @Test
  void whoLeavesWhileARoundIsUnderWay_takesNothingOfIt() {
    World world = new World(1, FIXED);
    Node goes = world.join();
    world.run(START + 3 * SECOND);
    goes.arrive(2_000); // asks at once
    world.run(world.now() + World.MILLI / 20);
    goes.leave();
    world.run(START + 4 * SECOND);
    assertThat(goes.limit().room(goes.local())).isZero();
  }

  @Test
  void storeGone_spendsWhatItHasAndThenWaits() {
    World world = new World(1, FIXED);
    Node node = world.join();
    offer(world, node, SECOND / 50, 3, START + 30 * SECOND);
    world.run(START + 12 * SECOND);
    world.store.cut = true;
    world.run(START + 14 * SECOND + 100 * MILLI);
    int before = world.releases.size();
    world.run(START + 18 * SECOND);
    assertThat(world.releases).hasSize(before);
    assertThat(node.waits()).isPositive();
    world.store.cut = false;
    world.run(START + 24 * SECOND);
    assertThat(world.releases.size()).isGreaterThan(before);
    assertThat(node.waits()).isZero();
  }

  @Test
  @Tag("long")
  void anySchedule_neverLetsMorePassThanTheLimit() {
    long base = Long.getLong("penstock.sim.seed", 1);
    for (long seed = base; seed < base + SEEDS; seed++) {
      World world = schedule(seed);
      assertThat(world.most())
          .as("penstock.sim.seed=" + seed + " " + world.spec)
          .isLessThanOrEqualTo(SimWindows.capacity(world.spec, world.wayNanos()));
      if (world.store.slowest < World.PACE.timeoutNanos()) {
        assertThat(world.releases).as("penstock.sim.seed=" + seed).isNotEmpty();
      }
    }
  }

  private static World schedule(long seed) {
    Random random = new Random(seed * SPREAD);
    World world = new World(seed, Kinds.draw(random));
    long until = START + 25 * SECOND;
    int members = 2 + random.nextInt(9);
    world.store.loss = random.nextInt(3) * 0.05;
    world.store.twice = random.nextInt(3) * 0.05;
    world.store.slowest = List.of(5, 300, 1_500).get(random.nextInt(3)) * MILLI;
    for (int each = 0; each < members; each++) {
      Node node = world.join();
      long largest = Kinds.largest(world.spec);
      offer(world, node, SECOND / (1 + random.nextInt(60)), largest, until);
      giveBack(world, node, until);
    }
    troubles(world, random).forEach(trouble -> trouble.run());
    world.run(until);
    return world;
  }

  private static void giveBack(World world, Node node, long until) {
    world.at(
        world.now() + world.random.nextLong(SECOND),
        () -> {
          node.giveBack();
          if (world.now() < until) {
            giveBack(world, node, until);
          }
        });
  }

  /** Returns the faults after all know each other: one of these, and perhaps an earlier crash. */
  private static List<Runnable> troubles(World world, Random random) {
    long at = START + (8 + random.nextLong(6)) * SECOND + random.nextLong(SECOND);
    Node some = world.nodes.getFirst();
    boolean restarted = random.nextBoolean();
    return switch (random.nextInt(8)) {
      case 0 -> List.of(() -> world.at(at, some::crash));
      case 1 -> List.of(() -> world.at(at, () -> world.store.flush(restarted)));
      case 2 -> List.of(() -> world.at(at, () -> world.store.rollback(at - 5 * SECOND, restarted)));
      case 3 -> List.of(() -> cut(world, at, at + SECOND * (1 + random.nextInt(4))));
      case 4 ->
          List.of(
              () -> world.at(at, some::crash),
              () -> world.at(at + 10 * MILLI, () -> world.store.rollback(at - 5 * SECOND, true)));
      case 5 -> List.of(() -> world.at(at, () -> world.store.lose(World.ID)));
      case 6 ->
          List.of(
              () -> world.at(at + random.nextLong(SECOND), some::crash),
              () -> world.at(at + random.nextLong(SECOND), () -> world.store.lose(World.ID)));
      default -> List.of(() -> world.at(at, () -> world.join()));
    };
  }

  @Test
  void limitLostAlone_isSpentAgainOnceOldSlicesAreOver() {
    World world = new World(3, FIXED);
    for (int each = 0; each < 3; each++) {
      offer(world, world.join(), SECOND / 200, 3, START + 40 * SECOND);
    }
    world.run(START + 13 * SECOND);
    world.store.lose(World.ID);
    world.run(START + 17 * SECOND);
    long before = world.releases.size();
    world.run(START + 18 * SECOND);
    assertThat(world.releases.size()).isGreaterThan((int) before);
    world.run(START + 40 * SECOND);
    assertThat(world.most()).isLessThanOrEqualTo(3_000);
  }

  @Test
  void limitLostAlone_isReportedByWhoHasBeenIdleForLong() {
    LimitSpec spec = new LimitSpec.FixedWindow(100, 100_000 * SECOND);
    World world = new World(3, spec);
    Node idle = world.join();
    Node busy = world.join();
    idle.arrive(60);
    busy.arrive(1);
    world.run(START + 120 * SECOND);
    world.store.lose(World.ID);
    for (int each = 0; each < 100; each++) {
      busy.arrive(1);
    }
    world.run(START + 200 * SECOND);
    assertThat(world.most()).isEqualTo(100);
  }

  @Test
  void limitIdleForAnHour_isSpentAtOnce() {
    World world = new World(3, FIXED);
    Node node = world.join();
    Node other = world.join();
    node.arrive(5);
    other.arrive(5);
    world.run(START + 3_700 * SECOND);
    node.longestWait = 0;
    node.arrive(5);
    world.run(START + 3_701 * SECOND);
    assertThat(node.waits()).isZero();
    assertThat(node.longestWait).isLessThan(SECOND / 2);
  }

  /**
   * Returns a world where one member dies after spending half, the store is rolled back, and
   * another member joins.
   */
  private static World joinerBesideALoss(LimitSpec spec, long joins) {
    World world = new World(4, spec);
    Node dies = world.join();
    world.join();
    world.run(START + 12 * SECOND);
    dies.arrive(2_000);
    world.run(START + 13 * SECOND);
    dies.crash();
    world.store.rollback(START + 9 * SECOND, true);
    world.run(START + 13 * SECOND + joins);
    Node joiner = world.join();
    for (int each = 0; each < 30; each++) {
      joiner.arrive(100);
    }
    world.run(START + 40 * SECOND);
    return world;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 500, 2_000, 10_000})
  void joinerBesideALoss_spendsNothingOfWhatWasLost(long millis) {
    LimitSpec day = new LimitSpec.FixedWindow(3_000, 100_000 * SECOND);
    World world = joinerBesideALoss(day, millis * MILLI);
    assertThat(world.most()).isEqualTo(2_000);
  }

  private static void cut(World world, long from, long until) {
    world.at(from, () -> world.store.cut = true);
    world.at(until, () -> world.store.cut = false);
  }
}
