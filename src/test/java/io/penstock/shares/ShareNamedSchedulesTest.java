package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Situations that broke earlier forms of the protocol. A lease takes four seconds. */
class ShareNamedSchedulesTest {
  private static final LimitId ID = ShareWorld.limit("l0");
  private static final boolean PARKS = false;
  private static final boolean CONTINUES = true;

  private static ShareWorld world(boolean continues, Terms... limits) {
    long grace = 7 * SECOND;
    for (Terms each : limits) {
      grace = Math.max(grace, 7 * SECOND + each.windowNanos());
    }
    return world(1, grace, continues, 5 * MILLI, ShareWorld.limits(limits));
  }

  private static ShareWorld world(
      long seed, long grace, boolean continues, long latency, Map<LimitId, Terms> limits) {
    ShareTerms terms =
        new ShareTerms(4 * SECOND, 500 * MILLI, SECOND, 100 * MILLI, grace, continues);
    return new ShareWorld(
        seed,
        new ShareWorld.Setting(
            terms, limits, latency, 0, 0, 0, 50 * MILLI, 15, 20 * MILLI, Set.of()));
  }

  private static Terms trailing(long capacity, long seconds) {
    return new Terms(Kind.TRAILING, capacity, seconds * SECOND);
  }

  /** A day of 50 seconds: one begins at 50, the next at 100, and so on. */
  private static Terms day(long capacity) {
    return new Terms(Kind.DAY, capacity, 50 * SECOND);
  }

  /** Lets so many requests arrive at an instance, all at once. */
  private static void burst(ShareWorld world, int node, double second, int count, long amount) {
    world.atSecond(
        second,
        () -> {
          for (int i = 0; i < count; i++) {
            world.nodes.get(node).arrive(ID, amount, false);
          }
        });
  }

  private static long over(ShareWorld world) {
    return world.oracle.worst(world.setting.limits()).over();
  }

  private static long overFrom(ShareWorld world, double second) {
    return world.oracle.worst(world.setting.limits(), (long) (second * SECOND)).over();
  }

  private static long sum(ShareWorld world, double from, double to) {
    return world.oracle.sum(ID, (long) (from * SECOND), (long) (to * SECOND));
  }

  private static long sum(ShareWorld world, int node, double from, double to) {
    return world.oracle.sum(ID, node, (long) (from * SECOND), (long) (to * SECOND));
  }

  private static void joinAll(ShareWorld world, int... clients) {
    for (int i = 0; i < clients.length; i++) {
      world.join(i, clients[i]);
    }
  }

  /** Member 0 stays with a store that takes no writes, the others see a promoted copy. */
  private static AtomicLong split(ShareWorld world) {
    AtomicLong held = new AtomicLong();
    joinAll(world, 6, 6, 6);
    world.atSecond(
        40,
        () -> {
          held.set(world.nodes.get(0).share(ID));
          world.nodes.get(0).cut(true);
          world.store = world.snapshot();
        });
    world.atSecond(100, () -> world.nodes.get(0).cut(false));
    world.run(180);
    return held;
  }

  @Test
  void split_oldSideParks_otherSideReclaimsItsShare() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    split(world);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 0, 44, 100)).isZero();
    assertThat(sum(world, 60, 100)).isGreaterThan(4 * 255);
    assertThat(sum(world, 0, 102, 140)).isPositive();
  }

  @Test
  void split_oldSideContinues_overByItsShareUntilItIsBack() {
    ShareWorld world = world(CONTINUES, trailing(300, 10));
    AtomicLong held = split(world);
    assertThat(over(world)).isPositive().isLessThanOrEqualTo(held.get());
    assertThat(sum(world, 0, 50, 60)).isGreaterThan(held.get() * 4 / 5);
    assertThat(overFrom(world, 101)).isNotPositive();
    assertThat(sum(world, 110, 180)).isGreaterThan(7 * 240);
  }

  @ParameterizedTest
  @ValueSource(booleans = {PARKS, CONTINUES})
  void sleepsWhileItsShareIsReclaimed_oldCallFails_waitsUntilItIsAnswered(boolean continues) {
    ShareWorld world = world(continues, trailing(300, 10));
    joinAll(world, 6, 6);
    world.atSecond(40, () -> world.nodes.get(0).pause());
    world.atSecond(159.9, () -> world.nodes.get(0).cut(true));
    world.atSecond(160, () -> world.nodes.get(0).resume());
    world.atSecond(163, () -> world.nodes.get(0).cut(false));
    world.run(200);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 1, 60, 160)).isGreaterThan(10 * 255);
    assertThat(sum(world, 0, 160, 163)).isZero();
    assertThat(sum(world, 0, 165, 200)).isPositive();
  }

  @Test
  void sleepsLongerThanALease_storeAnswersAtOnce_isNotTakenToBeAway() {
    ShareWorld world = world(CONTINUES, trailing(300, 10));
    joinAll(world, 6, 6);
    AtomicLong changes = new AtomicLong();
    AtomicLong afterSleep = new AtomicLong();
    world.atSecond(39, () -> world.nodes.get(0).sync.setContactListener(changes::incrementAndGet));
    world.atSecond(40, () -> world.nodes.get(0).pause());
    world.atSecond(60, () -> world.nodes.get(0).resume());
    world.atSecond(70, () -> afterSleep.set(changes.get()));
    world.atSecond(80, () -> world.nodes.get(0).cut(true));
    world.run(120);
    assertThat(afterSleep).hasValue(0);
    assertThat(changes).as("away once it was cut off").hasValue(1);
  }

  @Test
  void mostOfDayIsSpentByTheDead_lateCallFollows_successorGetsTheRest() {
    ShareWorld world = world(PARKS, day(100));
    joinAll(world, 0, 0);
    burst(world, 0, 60, 9, 10);
    world.atSecond(62, () -> world.nodes.get(0).lag(20 * SECOND));
    burst(world, 0, 62, 1, 10);
    world.atSecond(62.5, () -> world.nodes.get(0).crash());
    world.atSecond(63, () -> world.join(0, 0));
    burst(world, 0, 64, 150, 1);
    world.run(149);
    assertThat(sum(world, 50, 62)).isEqualTo(90);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 0, 64, 100)).isBetween(5L, 10L);
    assertThat(sum(world, 0, 100, 149)).isGreaterThanOrEqualTo(95);
  }

  /** While it is cut off it spends a little, so that it does not give its share up as idle. */
  private static ShareWorld continuedAlone() {
    ShareWorld world = world(CONTINUES, trailing(300, 10));
    joinAll(world, 0, 0, 0);
    burst(world, 0, 30, 10, 10);
    world.atSecond(41, () -> world.nodes.get(0).cut(true));
    for (int second = 43; second < 76; second += 2) {
      burst(world, 0, second, 1, 1);
    }
    burst(world, 1, 63, 20, 15);
    world.atSecond(75.5, () -> world.nodes.get(0).cut(false));
    return world;
  }

  @Test
  void continuedAloneAndComesBack_nobodyWaits_itsShareIsGone() {
    ShareWorld world = continuedAlone();
    AtomicLong held = new AtomicLong();
    AtomicLong taken = new AtomicLong();
    world.atSecond(75.4, () -> held.set(world.nodes.get(0).share(ID)));
    world.atSecond(79, () -> taken.set(world.nodes.get(1).share(ID)));
    burst(world, 0, 80, 20, 15);
    burst(world, 1, 80, 20, 15);
    world.run(120);
    assertThat(held.get()).isGreaterThanOrEqualTo(90);
    assertThat(taken.get()).isGreaterThanOrEqualTo(285);
    assertThat(overFrom(world, 75.5)).isNotPositive();
    assertThat(sum(world, 80, 92)).isGreaterThan(270);
    assertThat(sum(world, 80, 120)).isEqualTo(600);
  }

  @Test
  void continuedAloneAndComesBack_itSpentLast_othersShrink() {
    ShareWorld world = continuedAlone();
    burst(world, 0, 75.4, 1, 60);
    burst(world, 0, 87, 20, 15);
    burst(world, 1, 87, 20, 15);
    world.run(120);
    assertThat(sum(world, 0, 75.3, 75.5)).isEqualTo(60);
    assertThat(overFrom(world, 75.5)).isNotPositive();
  }

  @Test
  void idleForLong_givesItsShareUp_othersGetAllAndItBursts() {
    ShareWorld world = world(PARKS, trailing(600, 60));
    joinAll(world, 0, 0);
    burst(world, 0, 80, 10, 30);
    burst(world, 1, 300, 9, 60);
    burst(world, 0, 302, 10, 30);
    world.run(420);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 1, 300, 302)).isEqualTo(540);
    assertThat(sum(world, 0, 302, 420)).isEqualTo(300);
  }

  @Test
  void flush_oneOfManyLimitsIsNotRestatedYet_isNotGivenAway() {
    Terms[] many = new Terms[ShareSync.MOST_CALLS + 100];
    Arrays.fill(many, trailing(20, 10));
    ShareWorld world = world(PARKS, many);
    joinAll(world, 0, 0);
    world.atSecond(30, () -> allArrive(world, 0, 15));
    world.atSecond(44, () -> allArrive(world, 0, 1));
    world.atSecond(45, () -> world.store.flush());
    world.atSecond(45.05, () -> allArrive(world, 1, 10));
    world.atSecond(45.3, () -> allArrive(world, 0, 9));
    world.run(75);
    assertThat(over(world)).isNotPositive();
    for (LimitId each : world.setting.limits().keySet()) {
      assertThat(world.oracle.sum(each, 0, 0, 75 * SECOND)).isEqualTo(25);
      assertThat(world.oracle.sum(each, 1, 0, 75 * SECOND)).isEqualTo(10);
    }
  }

  private static void allArrive(ShareWorld world, int node, long amount) {
    world.setting.limits().keySet().forEach(id -> world.nodes.get(node).arrive(id, amount, false));
  }

  /** Member 0 holds 400 of 600, of which it spent 50, and is cut off when the store is flushed. */
  private static AtomicLong flushAndCut(ShareWorld world) {
    AtomicLong held = new AtomicLong();
    joinAll(world, 0, 0);
    burst(world, 0, 80, 7, 50);
    burst(world, 0, 135, 1, 50);
    world.atSecond(
        142,
        () -> {
          held.set(world.nodes.get(0).share(ID));
          world.store.flush();
          world.nodes.get(0).cut(true);
        });
    burst(world, 1, 142.1, 10, 60);
    burst(world, 0, 143, 7, 50);
    return held;
  }

  @Test
  void flushAndOneIsCutOff_itParks_whatItMaySpendCountsUntilItDecayed() {
    ShareWorld world = world(PARKS, trailing(600, 60));
    AtomicLong held = flushAndCut(world);
    world.run(240);
    assertThat(held.get()).isGreaterThanOrEqualTo(400);
    assertThat(sum(world, 0, 143, 144)).isEqualTo(350);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 1, 142, 240)).isEqualTo(600);
  }

  @Test
  void flushAndOneIsCutOff_itContinues_overByAtMostItsShare() {
    ShareWorld world = world(CONTINUES, trailing(600, 60));
    AtomicLong held = flushAndCut(world);
    for (int second = 145; second < 225; second += 5) {
      burst(world, 0, second, 1, 1);
    }
    burst(world, 0, 225, 7, 50);
    world.run(240);
    assertThat(sum(world, 1, 142, 240)).isEqualTo(600);
    assertThat(sum(world, 0, 225, 240)).isEqualTo(350);
    assertThat(over(world)).isPositive().isLessThanOrEqualTo(held.get());
  }

  @Test
  void dayOfOneEndsEarly_otherIsStillInTheOldDay_doesNotGetWhatWasSpent() {
    ShareWorld world = world(PARKS, day(100));
    joinAll(world, 0, 0);
    world.nodes.get(0).wall(500 * MILLI);
    world.nodes.get(1).wall(-500 * MILLI);
    burst(world, 0, 61, 6, 10);
    burst(world, 1, 62, 30, 1);
    burst(world, 1, 99, 40, 1);
    burst(world, 0, 99.6, 1, 1);
    burst(world, 1, 99.7, 40, 1);
    world.run(149);
    assertThat(sum(world, 0, 99.5, 101)).isPositive();
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 61, 99.5)).isBetween(90L, 100L);
    assertThat(sum(world, 1, 100.5, 149)).isGreaterThanOrEqualTo(45);
  }

  @Test
  void dayOfOneEndsEarly_otherSpendsInTheNewDay_doesNotWaitForIt() {
    ShareWorld world = world(PARKS, day(100));
    joinAll(world, 0, 0);
    world.nodes.get(0).wall(500 * MILLI);
    world.nodes.get(1).wall(-500 * MILLI);
    burst(world, 0, 61, 6, 10);
    burst(world, 1, 62, 30, 1);
    burst(world, 1, 99, 40, 1);
    burst(world, 0, 99.6, 1, 1);
    burst(world, 1, 99.7, 40, 1);
    world.run(149);
    assertThat(sum(world, 1, 100.5, 149)).isGreaterThan(65);
  }

  /** A day of 50 seconds that begins with its first use. */
  private static ShareWorld firstUse(boolean continues, int members) {
    ShareWorld world = world(continues, new Terms(Kind.FIRST_USE, 100, 50 * SECOND));
    for (int i = 0; i < members; i++) {
      world.join(i, 0);
    }
    return world;
  }

  @Test
  void firstUseDayThatAnotherBegan_endsWithThatOfTheOther() {
    ShareWorld world = firstUse(PARKS, 2);
    burst(world, 0, 70, 1, 10);
    burst(world, 1, 90, 1, 1);
    burst(world, 1, 119, 6, 10);
    burst(world, 1, 121, 80, 1);
    burst(world, 1, 141, 100, 1);
    world.run(200);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 70, 120)).isEqualTo(71);
    assertThat(sum(world, 121, 135)).isEqualTo(80);
    assertThat(sum(world, 121, 171)).isBetween(98L, 100L);
    assertThat(sum(world, 121, 200)).isEqualTo(180);
  }

  @Test
  void firstUseDayBeginsAtTwoBeforeTheyHear_endsOnce_nextIsWhole() {
    ShareWorld world =
        world(
            3,
            60 * SECOND,
            PARKS,
            300 * MILLI,
            ShareWorld.limits(new Terms(Kind.FIRST_USE, 100, 50 * SECOND)));
    joinAll(world, 0, 0);
    burst(world, 0, 70, 60, 1);
    burst(world, 1, 70.1, 60, 1);
    burst(world, 0, 120.5, 60, 1);
    burst(world, 1, 120.5, 60, 1);
    world.run(220);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 70, 120)).isBetween(98L, 100L);
    assertThat(sum(world, 120, 169)).isBetween(98L, 100L);
  }

  @Test
  void firstUseDay_idleHolderDies_dayAfterTheNextIsWhole() {
    ShareWorld world = firstUse(PARKS, 3);
    burst(world, 0, 70, 30, 1);
    burst(world, 1, 70.5, 10, 1);
    world.atSecond(125, () -> world.nodes.get(0).crash());
    world.atSecond(125, () -> world.nodes.get(2).crash());
    burst(world, 1, 140, 100, 1);
    burst(world, 1, 200, 130, 1);
    world.run(249);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 70, 120)).isEqualTo(40);
    assertThat(sum(world, 140, 189)).isEqualTo(100);
    assertThat(sum(world, 200, 249)).isEqualTo(100);
  }

  @Test
  void firstUseDayBeginsWhileTheStoreIsAway_earliestBeginningCounts() {
    ShareWorld world = firstUse(CONTINUES, 2);
    burst(world, 0, 70, 30, 1);
    burst(world, 1, 70.5, 30, 1);
    world.atSecond(110, world::storeGoes);
    burst(world, 1, 125, 1, 1);
    burst(world, 0, 135, 1, 1);
    world.atSecond(140, () -> world.storeReturns(world.store));
    burst(world, 0, 150, 60, 1);
    burst(world, 0, 164, 40, 1);
    burst(world, 0, 176, 70, 1);
    world.run(224);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 120, 140)).isEqualTo(2);
    assertThat(sum(world, 120, 174.9)).isBetween(99L, 100L);
    assertThat(sum(world, 175, 224)).isBetween(70L, 100L);
  }

  @Test
  void unitsOfBucketMoveToAndFro_emptyEachTime_nothingIsOver() {
    ShareWorld world = world(PARKS, new Terms(Kind.BUCKET, 100, 60 * SECOND));
    joinAll(world, 0, 0);
    for (int turn = 0; turn < 6; turn++) {
      burst(world, turn % 2, 150 + 5 * turn, 10, 10);
    }
    world.run(900);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 0, 150, 900)).isEqualTo(300);
    assertThat(sum(world, 1, 150, 900)).isEqualTo(300);
  }

  @ParameterizedTest
  @ValueSource(doubles = {20, 51})
  void leftWithMostOfDay_olderSnapshotReturns_onlyTheRestIsSpent(double taken) {
    ShareWorld world = world(PARKS, day(100));
    AtomicReference<MemoryShareStore> older = new AtomicReference<>();
    world.join(0, 0);
    world.atSecond(taken, () -> older.set(world.snapshot()));
    world.atSecond(25, () -> world.join(1, 0));
    burst(world, 1, 70, 6, 10);
    world.atSecond(72, () -> world.nodes.get(1).leave());
    world.atSecond(73, world::storeGoes);
    world.atSecond(74, () -> world.storeReturns(older.get()));
    burst(world, 0, 75, 130, 1);
    world.run(149);
    assertThat(sum(world, 1, 70, 71)).isEqualTo(60);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 0, 75, 100)).isBetween(39L, 40L);
    assertThat(sum(world, 0, 100, 149)).isGreaterThanOrEqualTo(90);
  }

  @Test
  void waitsForMostOfLimit_itsClientLeaves_whatWasReservedGoesToOthers() {
    ShareWorld world = world(PARKS, trailing(10_000, 60));
    joinAll(world, 0, 0);
    burst(world, 1, 80, 10, 500);
    burst(world, 0, 81, 1, 9_000);
    burst(world, 1, 82, 4, 1_000);
    world.atSecond(90, () -> world.nodes.get(0).limits.get(ID).leave());
    world.run(92);
    assertThat(sum(world, 82, 90)).isLessThan(4_000);
    assertThat(sum(world, 1, 82, 92)).isEqualTo(4_000);
    assertThat(over(world)).isNotPositive();
  }

  @Test
  void backlogOfOne_smallRequestOfOtherGoes() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    joinAll(world, 0, 0);
    burst(world, 1, 30, 1000, 10);
    burst(world, 0, 35, 1, 10);
    world.run(100);
    assertThat(sum(world, 0, 0, 60)).isEqualTo(10);
  }

  @Test
  void failover_oldMasterReturnsWithItsDataAndRun_nothingIsOver() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    joinAll(world, 6, 6, 6);
    AtomicReference<MemoryShareStore> old = new AtomicReference<>();
    world.atSecond(
        40,
        () -> {
          old.set(world.store);
          world.store = world.snapshot();
        });
    world.atSecond(45, world::storeGoes);
    world.atSecond(
        46,
        () -> {
          world.store = old.get();
          world.up = true;
        });
    world.run(80);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 60, 80)).isGreaterThan(2 * 240);
  }

  @Test
  void split_bothSidesBeginTheSameEpoch_nothingIsOver() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    joinAll(world, 6, 6, 6);
    world.atSecond(
        40,
        () -> {
          world.nodes.get(0).see(world.snapshot());
          world.store = world.snapshot();
        });
    world.atSecond(43, () -> world.nodes.get(0).see(null));
    world.run(80);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 60, 80)).isGreaterThan(2 * 240);
    assertThat(sum(world, 0, 60, 80)).isPositive();
  }

  @Test
  void holdsAllThatIsLeftOfDay_isKilled_nextDayIsWhole() {
    ShareWorld world = world(PARKS, day(100));
    joinAll(world, 0, 0);
    burst(world, 1, 60, 2, 10);
    burst(world, 0, 62, 1, 79);
    world.atSecond(63, () -> world.nodes.get(0).crash());
    burst(world, 1, 64, 150, 1);
    world.run(149);
    assertThat(sum(world, 0, 62, 63)).isEqualTo(79);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 1, 64, 100)).isLessThanOrEqualTo(1);
    assertThat(sum(world, 1, 100, 149)).isGreaterThanOrEqualTo(95);
  }

  @Test
  void leftWithPartOfDay_startsAgain_itsPartCountsOnce() {
    ShareWorld world = world(PARKS, day(100));
    joinAll(world, 0, 0);
    burst(world, 0, 60, 4, 10);
    world.atSecond(62, () -> world.nodes.get(0).leave());
    world.atSecond(63, () -> world.join(0, 0));
    burst(world, 0, 65, 80, 1);
    burst(world, 1, 65, 80, 1);
    world.run(99);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 50, 99)).isGreaterThanOrEqualTo(98);
  }

  @ParameterizedTest
  @ValueSource(booleans = {PARKS, CONTINUES})
  void storeReturnsEmpty_newcomersAreFirst_oldMembersComeLater(boolean continues) {
    ShareWorld world = world(continues, trailing(300, 10));
    joinAll(world, 6, 6);
    world.atSecond(40, world::storeGoes);
    world.atSecond(
        42,
        () -> {
          world.nodes.forEach(each -> each.cut(true));
          world.join(2, 6);
          world.join(3, 6);
        });
    world.atSecond(43, () -> world.storeReturns(world.empty()));
    world.atSecond(55, () -> world.nodes.forEach(each -> each.cut(false)));
    world.run(100);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 80, 100)).isGreaterThan(2 * 240);
    assertThat(sum(world, 2, 80, 100)).isPositive();
  }

  @Test
  void newcomerAloneAtEmptyStore_othersComeBackInTime_nothingIsOver() {
    ShareWorld world = world(5, 10 * SECOND, PARKS, 5 * MILLI, ShareWorld.limits(trailing(300, 5)));
    joinAll(world, 6, 6);
    world.atSecond(
        20,
        () -> {
          world.storeGoes();
          world.nodes.forEach(each -> each.cut(true));
        });
    world.atSecond(
        20.2,
        () -> {
          world.storeReturns(world.empty());
          world.join(2, 6);
        });
    world.atSecond(23.5, () -> world.nodes.forEach(each -> each.cut(false)));
    world.run(40);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 30, 40)).isGreaterThan(2 * 240);
    assertThat(sum(world, 2, 30, 40)).isPositive();
  }

  @Test
  void memberThatNobodyKnowsAndFlush_othersBurst_nothingIsOver() {
    for (int seed = 0; seed < 100; seed++) {
      ShareWorld world =
          world(seed, 10 * SECOND, PARKS, 300 * MILLI, ShareWorld.limits(trailing(300, 5)));
      joinAll(world, 1, 1);
      world.atSecond(20, () -> world.join(2, 30));
      double flushed = 20 + seed / 100.0;
      world.atSecond(flushed, () -> world.store.flush());
      world.atSecond(flushed, () -> world.nodes.get(2).cut(true));
      burst(world, 0, flushed + 0.5, 30, 10);
      burst(world, 1, flushed + 0.5, 30, 10);
      world.atSecond(flushed + 3.5, () -> world.nodes.get(2).cut(false));
      world.run(45);
      assertThat(over(world)).as("seed %d", seed).isNotPositive();
      assertThat(sum(world, 35, 45)).as("seed %d", seed).isGreaterThan(2 * 240);
    }
  }

  @Test
  void hashIsLost_otherAsksForAll_idleHolderBursts() {
    ShareWorld world = world(PARKS, trailing(600, 60));
    joinAll(world, 0, 0);
    burst(world, 0, 80, 10, 30);
    burst(world, 1, 80, 1, 10);
    world.atSecond(145, () -> world.store.lose(ID));
    burst(world, 1, 145.05, 10, 60);
    burst(world, 0, 145.07, 10, 30);
    world.run(300);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 145, 300)).isEqualTo(900);
  }

  @Test
  void keyOfOneLimitHoldsSomethingElse_isCalledSeldom_othersAreShared() {
    ShareWorld world = world(PARKS, trailing(300, 10), trailing(300, 10));
    LimitId other = ShareWorld.limit("l1");
    joinAll(world, 6, 6);
    AtomicLong calls = new AtomicLong();
    world.atSecond(30, () -> world.store.spoil(ID));
    world.atSecond(31, () -> world.storeReturns(world.store));
    world.atSecond(40, () -> world.nodes.forEach(each -> countCalls(each, calls)));
    world.run(50);
    long unusable = calls.get();
    world.store.lose(ID);
    world.run(100);
    assertThat(unusable).isBetween(2L, 120L);
    assertThat(world.oracle.sum(other, 40 * SECOND, 50 * SECOND)).isGreaterThan(200);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 60, 100)).isGreaterThan(4 * 200);
  }

  private static void countCalls(ShareWorld.Node node, AtomicLong calls) {
    node.falsify(
        message -> {
          calls.addAndGet(message.calls().stream().filter(each -> each.id().equals(ID)).count());
          return message;
        },
        UnaryOperator.identity());
  }

  @Test
  void allInstancesAreReplacedAndTheirKeyIsLost_laterEpochOfLimitIsFound() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    joinAll(world, 0, 0);
    world.atSecond(22, () -> world.store = world.snapshot());
    burst(world, 0, 25, 10, 10);
    world.atSecond(40, () -> world.nodes.forEach(ShareWorld.Node::leave));
    world.atSecond(45, () -> world.store.loseInstances());
    world.atSecond(45, () -> joinAll(world, 6, 6));
    world.run(100);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 80, 100)).isGreaterThan(2 * 200);
  }

  /** Member 0 spends 200 of 300 and shares the limit no more. */
  private static ShareWorld removed() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    joinAll(world, 0, 0);
    burst(world, 0, 30, 10, 20);
    burst(world, 1, 30, 1, 1);
    world.atSecond(31, () -> world.nodes.get(0).remove(ID));
    return world;
  }

  @Test
  void removed_othersGetItsRestAtOnce_andTheOtherPartOnceItCountsNoMore() {
    ShareWorld world = removed();
    burst(world, 0, 31.5, 10, 20);
    burst(world, 1, 32, 29, 10);
    world.run(120);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 0, 31, 120)).isZero();
    assertThat(sum(world, 32, 34)).isGreaterThanOrEqualTo(90);
    assertThat(sum(world, 32, 44)).isEqualTo(290);
    assertThat(world.store.stated(ID, world.nodes.get(0).name)).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {31, 32, 60})
  void removedAndAddedAgain_goesOnWithWhatItSpent(double added) {
    ShareWorld world = removed();
    world.atSecond(added, () -> world.nodes.get(0).add(ID));
    burst(world, 0, 32, 20, 15);
    burst(world, 1, 32, 20, 15);
    world.run(120);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 0, 32, 120)).isEqualTo(300);
    assertThat(sum(world, 1, 32, 120)).isEqualTo(300);
  }

  @Test
  void removedFromDay_whatItSpentCountsUntilTheDayEnds() {
    ShareWorld world = world(PARKS, day(100));
    joinAll(world, 0, 0);
    burst(world, 0, 60, 4, 10);
    world.atSecond(62, () -> world.nodes.get(0).remove(ID));
    burst(world, 1, 65, 200, 1);
    world.run(149);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 1, 65, 100)).isEqualTo(60);
    assertThat(sum(world, 1, 100, 149)).isEqualTo(100);
    world.run(160);
    assertThat(world.store.stated(ID, world.nodes.get(0).name)).isEqualTo(-1);
  }

  @Test
  void allInstancesDieAndTheirKeyIsLost_whatTheyHeldCountsUntilItDecayed() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    joinAll(world, 6, 6);
    world.atSecond(40, () -> world.nodes.forEach(ShareWorld.Node::crash));
    world.atSecond(41, () -> world.store.loseInstances());
    world.atSecond(41, () -> joinAll(world, 6, 6));
    world.run(100);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 80, 100)).isGreaterThan(2 * 240);
  }

  @Test
  void instancesThatDiedAreForgotten_theirPartOfLaterDaysIsFree() {
    Terms day = new Terms(Kind.DAY, 100, 5_000 * SECOND);
    ShareWorld world = world(1, 10 * SECOND, PARKS, 5 * MILLI, ShareWorld.limits(day));
    joinAll(world, new int[13]);
    for (int i = 1; i < 13; i++) {
      burst(world, i, 4_100 + i, 1, 1);
    }
    world.atSecond(4_200, () -> world.nodes.subList(1, 13).forEach(ShareWorld.Node::crash));
    burst(world, 0, 4_300, 20, 1);
    burst(world, 0, 9_100, 20, 1);
    burst(world, 0, 14_100, 120, 1);
    world.run(18_900);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 14_000, 18_900)).isEqualTo(100);
  }

  @Test
  void idle_givesAllUp_oneRequestNeedsTheWholeLimit() {
    ShareWorld world = world(PARKS, trailing(600, 60));
    joinAll(world, 0, 0);
    burst(world, 0, 80, 10, 30);
    burst(world, 1, 300, 1, 600);
    world.run(420);
    assertThat(sum(world, 1, 300, 420)).isEqualTo(600);
  }

  @Test
  void twoWaitForMoreThanTheirPart_firstGoes() {
    ShareWorld world = world(PARKS, trailing(20, 10));
    joinAll(world, 0, 0);
    burst(world, 0, 30, 1, 15);
    burst(world, 1, 30.5, 1, 12);
    burst(world, 0, 30.6, 1, 14);
    world.run(100);
    assertThat(sum(world, 0, 100)).isEqualTo(41);
  }

  @Test
  void largeRequestAmongSmallOnes_goes() {
    ShareWorld world = world(PARKS, trailing(300, 10));
    joinAll(world, 0, 6, 6);
    burst(world, 0, 30, 1, 200);
    world.run(100);
    assertThat(sum(world, 0, 0, 100)).isEqualTo(200);
  }

  @Test
  void continuedAloneAndComesBack_othersBurstBeforeThatDecayed() {
    ShareWorld world = continuedAlone();
    burst(world, 0, 75.4, 1, 60);
    burst(world, 0, 80, 20, 15);
    burst(world, 1, 80, 20, 15);
    world.run(120);
    assertThat(sum(world, 0, 75.3, 75.5)).isEqualTo(60);
    assertThat(overFrom(world, 75.5)).isNotPositive();
  }

  @Test
  void newcomerComesLongAfterALoss_getsItsShareAtOnce() {
    ShareWorld world = world(CONTINUES, trailing(30_000, 20));
    joinAll(world, 6, 6);
    world.atSecond(40, () -> world.nodes.get(1).crash());
    world.atSecond(42, () -> world.store.flush());
    world.atSecond(120, () -> world.join(1, 6));
    world.run(130);
    assertThat(over(world)).isNotPositive();
    assertThat(sum(world, 1, 120, 126)).isPositive();
  }

  @Test
  void wasCutOff_andItsShareReclaimed_hearsThatItIsBackBeforeItGivesUpAll() {
    ShareWorld world = world(CONTINUES, trailing(300, 10));
    joinAll(world, 6, 6);
    List<String> told = new ArrayList<>();
    world.atSecond(
        20,
        () -> {
          ShareSync sync = world.nodes.get(0).sync;
          SpentLimit idle = new SpentLimit(trailing(300, 10), sync.lease(), at -> at, () -> {});
          sync.add(ShareWorld.limit("idle"), noting(idle, told));
        });
    world.atSecond(40, () -> world.nodes.get(0).cut(true));
    world.atSecond(
        60,
        () -> {
          assertThat(told).contains("contact AWAY");
          told.clear();
          world.nodes.get(0).cut(false);
        });
    world.run(64);
    assertThat(told).containsSubsequence("contact READY", "shrink");
    assertThat(told.indexOf("contact READY")).isLessThan(told.indexOf("shrink"));
  }

  /**
   * Returns a user that notes when it is told of the contact, and when it must give something up.
   */
  private static ShareUser noting(ShareUser user, List<String> told) {
    return (ShareUser)
        Proxy.newProxyInstance(
            ShareUser.class.getClassLoader(),
            new Class<?>[] {ShareUser.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "contact" -> told.add("contact " + arguments[0]);
                case "shrink" -> told.add("shrink");
                default -> {}
              }
              return method.invoke(user, arguments);
            });
  }
}
