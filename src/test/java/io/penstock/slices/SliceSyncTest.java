package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.TrailingChecker;
import io.penstock.limit.LimitSpec;
import io.penstock.simulator.SimWindows;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SliceSyncTest {
  private static final int SEEDS = Math.min(5_000, Integer.getInteger("penstock.sim.seeds", 100));

  /** Spreads seeds, because adjacent ones begin with similar numbers. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(3_000, 10 * SECOND);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(
          6_000, 12 * SECOND, 50 * MILLI, LimitSpec.TrailingWindow.UNPACED);

  /** Sends requests to a member, one after another with random pauses. */
  static void offer(
      SliceWorld sliceWorld, SliceNode node, long meanNanos, long largest, long until) {
    long next =
        sliceWorld.now() + 1 + (long) (-meanNanos * Math.log(1 - sliceWorld.random.nextDouble()));
    if (next < until) {
      sliceWorld.at(
          next,
          () -> {
            if (node.waits() < 100) {
              node.arrive(1 + sliceWorld.random.nextLong(largest));
            }
            offer(sliceWorld, node, meanNanos, largest, until);
          });
    }
  }

  private static SliceWorld saturated(LimitSpec spec, int members, double first, long until) {
    SliceWorld sliceWorld = new SliceWorld(members, spec);
    for (int each = 0; each < members; each++) {
      double share = each == 0 ? first : (1 - first) / (members - 1);
      // One limit lets 300 a second pass, the other 500; 1,500 requests of 2 on average arrive.
      offer(sliceWorld, sliceWorld.join(), (long) (SECOND / (1_500 * share)), 3, until);
    }
    sliceWorld.run(until);
    return sliceWorld;
  }

  private static void assertUsed(SliceWorld sliceWorld, long capacity, long window, double least) {
    long from = Math.ceilDiv(START + 20 * SECOND, window) * window;
    long until = sliceWorld.now() / window * window;
    double offered = (double) capacity * (until - from) / window;
    assertThat(sliceWorld.most()).isLessThanOrEqualTo(capacity);
    double used = sliceWorld.released(from, until) / offered;
    if (Boolean.getBoolean("penstock.deep")) {
      int members = sliceWorld.nodes.size();
      System.out.printf("%d members use %.2f %% of %s%n", members, 100 * used, sliceWorld.spec);
    }
    assertThat(used).isGreaterThanOrEqualTo(least);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void evenLoad_usesNearlyAllOfAFixedWindow(int members) {
    SliceWorld sliceWorld = saturated(FIXED, members, 1.0 / members, START + 80 * SECOND);
    assertUsed(sliceWorld, 3_000, 10 * SECOND, 0.97);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void evenLoad_usesNearlyAllOfATrailingWindow(int members) {
    SliceWorld sliceWorld = saturated(TRAILING, members, 1.0 / members, START + 80 * SECOND);
    assertUsed(sliceWorld, 6_000, 12 * SECOND, 0.97);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 10})
  void oneMemberWithNineTenths_usesNearlyAll(int members) {
    SliceWorld fixed = saturated(FIXED, members, 0.9, START + 80 * SECOND);
    assertUsed(fixed, 3_000, 10 * SECOND, 0.95);
    SliceWorld trailing = saturated(TRAILING, members, 0.9, START + 80 * SECOND);
    assertUsed(trailing, 6_000, 12 * SECOND, 0.95);
  }

  /**
   * All requests of a minute arrive in its first seconds, and their amounts return as they were
   * spent.
   */
  @ParameterizedTest
  @ValueSource(doubles = {1.0 / 3, 0.9})
  void askedForAtOnce_isSpentAtOnceAndComesBackASixtiethLater(double first) {
    SliceWorld sliceWorld = new SliceWorld(3, new LimitSpec.SlidingWindow(6_000, 60 * SECOND));
    long until = START + 320 * SECOND;
    for (int each = 0; each < 3; each++) {
      double share = each == 0 ? first : (1 - first) / 2;
      offer(sliceWorld, sliceWorld.join(), (long) (SECOND / (3_000 * share)), 1, until);
    }
    sliceWorld.run(until);
    assertThat(sliceWorld.most()).isLessThanOrEqualTo(6_000);
    TrailingChecker key = new TrailingChecker(6_000, 60 * SECOND);
    sliceWorld.releases.forEach(each -> key.charge(each.at - START, each.amount));
    // nothing is kept in stock while a ticket waits
    assertThat(sliceWorld.released(START, START + 7 * SECOND)).isEqualTo(6_000);
    double used = key.mean(70 * SECOND, 310 * SECOND) / 6_000;
    assertThat(used).isGreaterThanOrEqualTo(0.97);
  }

  @Test
  void belowTheLimit_waitsHardlyEver() {
    SliceWorld sliceWorld = new SliceWorld(7, FIXED);
    for (int each = 0; each < 3; each++) {
      SliceNode node = sliceWorld.join();
      sliceWorld.run(START + 3 * SECOND);
      offer(sliceWorld, node, SECOND / 40, 3, START + 60 * SECOND); // 240 of 300 a second
    }
    sliceWorld.run(START + 10 * SECOND);
    sliceWorld.nodes.forEach(node -> node.longestWait = 0);
    sliceWorld.run(START + 60 * SECOND);
    assertThat(sliceWorld.nodes)
        .allMatch(node -> node.waits() == 0 && node.longestWait < SECOND / 2);
  }

  @Test
  void joiner_isGrantedNothingForAsLongAsASliceLasts() {
    SliceWorld sliceWorld = new SliceWorld(1, FIXED);
    SliceNode node = sliceWorld.join();
    node.arrive(1);
    sliceWorld.run(START + 2 * SECOND);
    assertThat(sliceWorld.releases).isEmpty();
    sliceWorld.run(START + 3 * SECOND);
    assertThat(sliceWorld.releases).hasSize(1);
  }

  @Test
  void whoLeaves_givesBackWhatItDidNotSpend() {
    SliceWorld sliceWorld = new SliceWorld(1, FIXED);
    SliceNode goes = sliceWorld.join();
    SliceNode stays = sliceWorld.join();
    sliceWorld.run(START + 3 * SECOND);
    goes.arrive(2_000);
    sliceWorld.run(START + 3 * SECOND + SECOND / 2);
    goes.leave();
    sliceWorld.run(START + 4 * SECOND);
    stays.arrive(1_000);
    sliceWorld.run(START + 5 * SECOND);
    assertThat(sliceWorld.releases).extracting(each -> each.amount).containsExactly(2_000L, 1_000L);
  }

  @Test
  void whoLeavesWhileARoundIsUnderWay_takesNothingOfIt() {
    SliceWorld sliceWorld = new SliceWorld(1, FIXED);
    SliceNode goes = sliceWorld.join();
    sliceWorld.run(START + 3 * SECOND);
    goes.arrive(2_000); // asks at once
    sliceWorld.run(sliceWorld.now() + SliceWorld.MILLI / 20);
    goes.leave();
    sliceWorld.run(START + 4 * SECOND);
    assertThat(goes.limit().room(goes.local())).isZero();
  }

  @Test
  void storeGone_spendsWhatItHasAndThenWaits() {
    SliceWorld sliceWorld = new SliceWorld(1, FIXED);
    SliceNode node = sliceWorld.join();
    offer(sliceWorld, node, SECOND / 50, 3, START + 30 * SECOND);
    sliceWorld.run(START + 12 * SECOND);
    sliceWorld.store.cut = true;
    sliceWorld.run(START + 14 * SECOND + 100 * MILLI);
    int before = sliceWorld.releases.size();
    sliceWorld.run(START + 18 * SECOND);
    assertThat(sliceWorld.releases).hasSize(before);
    assertThat(node.waits()).isPositive();
    sliceWorld.store.cut = false;
    sliceWorld.run(START + 24 * SECOND);
    assertThat(sliceWorld.releases.size()).isGreaterThan(before);
    assertThat(node.waits()).isZero();
  }

  @Test
  @Tag("long")
  void anySchedule_neverLetsMorePassThanTheLimit() {
    long base = Long.getLong("penstock.sim.seed", 1);
    for (long seed = base; seed < base + SEEDS; seed++) {
      SliceWorld sliceWorld = schedule(seed);
      assertThat(sliceWorld.most())
          .as("penstock.sim.seed=" + seed + " " + sliceWorld.spec)
          .isLessThanOrEqualTo(SimWindows.capacity(sliceWorld.spec, sliceWorld.wayNanos()));
      if (sliceWorld.store.slowest < SliceWorld.PACE.timeoutNanos()) {
        assertThat(sliceWorld.releases).as("penstock.sim.seed=" + seed).isNotEmpty();
      }
    }
  }

  private static SliceWorld schedule(long seed) {
    Random random = new Random(seed * SPREAD);
    SliceWorld sliceWorld = new SliceWorld(seed, LimitKinds.draw(random));
    long until = START + 25 * SECOND;
    int members = 2 + random.nextInt(9);
    sliceWorld.store.loss = random.nextInt(3) * 0.05;
    sliceWorld.store.twice = random.nextInt(3) * 0.05;
    sliceWorld.store.slowest = List.of(5, 300, 1_500).get(random.nextInt(3)) * MILLI;
    for (int each = 0; each < members; each++) {
      SliceNode node = sliceWorld.join();
      long largest = LimitKinds.largest(sliceWorld.spec);
      offer(sliceWorld, node, SECOND / (1 + random.nextInt(60)), largest, until);
      giveBack(sliceWorld, node, until);
    }
    troubles(sliceWorld, random).forEach(trouble -> trouble.run());
    sliceWorld.run(until);
    return sliceWorld;
  }

  private static void giveBack(SliceWorld sliceWorld, SliceNode node, long until) {
    sliceWorld.at(
        sliceWorld.now() + sliceWorld.random.nextLong(SECOND),
        () -> {
          node.giveBack();
          if (sliceWorld.now() < until) {
            giveBack(sliceWorld, node, until);
          }
        });
  }

  /** Returns the faults after all know each other: one of these, and perhaps an earlier crash. */
  private static List<Runnable> troubles(SliceWorld sliceWorld, Random random) {
    long at = START + (8 + random.nextLong(6)) * SECOND + random.nextLong(SECOND);
    SliceNode some = sliceWorld.nodes.getFirst();
    boolean restarted = random.nextBoolean();
    return switch (random.nextInt(8)) {
      case 0 -> List.of(() -> sliceWorld.at(at, some::crash));
      case 1 -> List.of(() -> sliceWorld.at(at, () -> sliceWorld.store.flush(restarted)));
      case 2 ->
          List.of(
              () -> sliceWorld.at(at, () -> sliceWorld.store.rollback(at - 5 * SECOND, restarted)));
      case 3 -> List.of(() -> cut(sliceWorld, at, at + SECOND * (1 + random.nextInt(4))));
      case 4 ->
          List.of(
              () -> sliceWorld.at(at, some::crash),
              () ->
                  sliceWorld.at(
                      at + 10 * MILLI, () -> sliceWorld.store.rollback(at - 5 * SECOND, true)));
      case 5 -> List.of(() -> sliceWorld.at(at, () -> sliceWorld.store.lose(SliceWorld.ID)));
      case 6 ->
          List.of(
              () -> sliceWorld.at(at + random.nextLong(SECOND), some::crash),
              () ->
                  sliceWorld.at(
                      at + random.nextLong(SECOND), () -> sliceWorld.store.lose(SliceWorld.ID)));
      default -> List.of(() -> sliceWorld.at(at, () -> sliceWorld.join()));
    };
  }

  @Test
  void limitLostAlone_isSpentAgainOnceOldSlicesAreOver() {
    SliceWorld sliceWorld = new SliceWorld(3, FIXED);
    for (int each = 0; each < 3; each++) {
      offer(sliceWorld, sliceWorld.join(), SECOND / 200, 3, START + 40 * SECOND);
    }
    sliceWorld.run(START + 13 * SECOND);
    sliceWorld.store.lose(SliceWorld.ID);
    sliceWorld.run(START + 17 * SECOND);
    long before = sliceWorld.releases.size();
    sliceWorld.run(START + 18 * SECOND);
    assertThat(sliceWorld.releases.size()).isGreaterThan((int) before);
    sliceWorld.run(START + 40 * SECOND);
    assertThat(sliceWorld.most()).isLessThanOrEqualTo(3_000);
  }

  @Test
  void limitLostAlone_isReportedByWhoHasBeenIdleForLong() {
    LimitSpec spec = new LimitSpec.FixedWindow(100, 100_000 * SECOND);
    SliceWorld sliceWorld = new SliceWorld(3, spec);
    SliceNode idle = sliceWorld.join();
    SliceNode busy = sliceWorld.join();
    idle.arrive(60);
    busy.arrive(1);
    sliceWorld.run(START + 120 * SECOND);
    sliceWorld.store.lose(SliceWorld.ID);
    for (int each = 0; each < 100; each++) {
      busy.arrive(1);
    }
    sliceWorld.run(START + 200 * SECOND);
    assertThat(sliceWorld.most()).isEqualTo(100);
  }

  @Test
  void limitIdleForAnHour_isSpentAtOnce() {
    SliceWorld sliceWorld = new SliceWorld(3, FIXED);
    SliceNode node = sliceWorld.join();
    SliceNode other = sliceWorld.join();
    node.arrive(5);
    other.arrive(5);
    sliceWorld.run(START + 3_700 * SECOND);
    node.longestWait = 0;
    node.arrive(5);
    sliceWorld.run(START + 3_701 * SECOND);
    assertThat(node.waits()).isZero();
    assertThat(node.longestWait).isLessThan(SECOND / 2);
  }

  /**
   * Returns a world where one member dies after spending half, the store is rolled back, and
   * another member joins.
   */
  private static SliceWorld joinerBesideALoss(LimitSpec spec, long joins) {
    SliceWorld sliceWorld = new SliceWorld(4, spec);
    SliceNode dies = sliceWorld.join();
    sliceWorld.join();
    sliceWorld.run(START + 12 * SECOND);
    dies.arrive(2_000);
    sliceWorld.run(START + 13 * SECOND);
    dies.crash();
    sliceWorld.store.rollback(START + 9 * SECOND, true);
    sliceWorld.run(START + 13 * SECOND + joins);
    SliceNode joiner = sliceWorld.join();
    for (int each = 0; each < 30; each++) {
      joiner.arrive(100);
    }
    sliceWorld.run(START + 40 * SECOND);
    return sliceWorld;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 500, 2_000, 10_000})
  void joinerBesideALoss_spendsNothingOfWhatWasLost(long millis) {
    LimitSpec day = new LimitSpec.FixedWindow(3_000, 100_000 * SECOND);
    SliceWorld sliceWorld = joinerBesideALoss(day, millis * MILLI);
    assertThat(sliceWorld.most()).isEqualTo(2_000);
  }

  private static void cut(SliceWorld sliceWorld, long from, long until) {
    sliceWorld.at(from, () -> sliceWorld.store.cut = true);
    sliceWorld.at(until, () -> sliceWorld.store.cut = false);
  }
}
