package io.penstock.shares;

import static io.penstock.shares.CountingCrowd.STEP;
import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.shares.CountingCrowd.Way;
import io.penstock.sharing.LimitId;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits that several instances count together, as simulated instances with a slow network. */
class CountingCrowdTest {
  private static final long WINDOW = 60 * SECOND;
  private static final long CAPACITY = 6_000;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.REQUESTS, WINDOW);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(CAPACITY, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(CAPACITY, WINDOW);
  private static final long WAY = 5 * MILLI;
  private static final Way STEADY = new Way(WAY, 0, 0);

  /** A count waits for a beat of its instance, and the others hear it with one of theirs. */
  private static final long LATE = 2 * ShareWorld.COUNTS + 4 * WAY + 2 * STEP;

  private static CountingCrowd crowd(LimitSpec spec, Way way, long seed) {
    return new CountingCrowd(ID, spec, way, seed);
  }

  /** Returns the largest excess over the limit that counts which come so late can cause. */
  private static long bound(int members, double perSecond, long lateNanos) {
    return (long) Math.ceil((members - 1.0) / members * perSecond * lateNanos / SECOND);
  }

  @ParameterizedTest
  @CsvSource({"2, 1.5", "3, 2", "10, 4"})
  void trailingLimit_offeredMoreThanFits_isOverByLateCountsAtMost(int members, double times) {
    for (long seed = 1; seed <= 3; seed++) {
      CountingCrowd crowd = crowd(TRAILING, STEADY, seed);
      double perSecond = times * CAPACITY * SECOND / WINDOW;
      crowd.add(members, perSecond / members, 2_000, new Random(seed));
      crowd.run(4 * WINDOW);
      assertThat(crowd.mostInAnyWindow(WINDOW, 0))
          .as("seed %d", seed)
          .isLessThanOrEqualTo(CAPACITY + bound(members, perSecond, LATE));
      assertThat(crowd.releasedSince(2 * WINDOW)).isGreaterThan(2 * CAPACITY * 95 / 100);
    }
  }

  @Test
  void fixedLimit_isOneWindowOfTheUnixClockForAll() {
    CountingCrowd crowd = crowd(FIXED, STEADY, 1);
    double perSecond = 2.0 * CAPACITY * SECOND / WINDOW;
    crowd.add(3, perSecond / 3, 0, new Random(1));
    crowd.run(4 * WINDOW);
    assertThat(crowd.mostInAnyCell(WINDOW))
        .isBetween(CAPACITY, CAPACITY + bound(3, perSecond, LATE));
  }

  @Test
  void oneWithMostOfTheLoad_hasMostOfTheLimit() {
    CountingCrowd crowd = crowd(TRAILING, STEADY, 1);
    crowd.add(180, 0);
    crowd.add(10, 0);
    crowd.add(10, 0);
    crowd.run(3 * WINDOW);
    assertThat(crowd.releasedSince(WINDOW)).isGreaterThan(2 * CAPACITY * 95 / 100);
    assertThat(crowd.mostInAnyWindow(WINDOW, 0))
        .isLessThanOrEqualTo(CAPACITY + bound(3, 200, LATE));
  }

  @Test
  void threeInstances_keepTheLimitWithinTenPercent() {
    CountingCrowd crowd = crowd(TRAILING, STEADY, 2);
    crowd.add(3, 66, 2_000, new Random(2));
    crowd.run(4 * WINDOW);
    assertThat(crowd.mostInAnyWindow(WINDOW, 0)).isLessThanOrEqualTo(CAPACITY * 11 / 10);
  }

  @Test
  void lostAndLateMessages_costNoMoreThanTheirDelay() {
    for (long seed = 1; seed <= 5; seed++) {
      CountingCrowd crowd = crowd(TRAILING, new Way(40 * MILLI, 20, 5), seed);
      crowd.add(3, 66, 2_000, new Random(seed));
      crowd.run(4 * WINDOW);
      // A lost message is given up after a second. As messages get lost each way, three of them
      // fail in a row in one of 20 cases.
      assertThat(crowd.mostInAnyWindow(WINDOW, 0))
          .as("seed %d", seed)
          .isLessThanOrEqualTo(CAPACITY + bound(3, 198, 8 * SECOND));
      assertThat(crowd.releasedSince(2 * WINDOW)).isGreaterThan(2 * CAPACITY * 90 / 100);
    }
  }

  @Test
  void outage_isLocalCountsAndHealsSoon() {
    CountingCrowd crowd = crowd(TRAILING, STEADY, 1);
    crowd.add(3, 66, 0, new Random(1));
    crowd.run(2 * WINDOW);
    MemoryShareStore data = crowd.world.store;
    crowd.world.storeGoes();
    crowd.run(2 * WINDOW);
    // The counts of the others no longer apply: each has the whole limit, and 66 a second stay
    // below it.
    assertThat(crowd.releasedSince(3 * WINDOW)).isGreaterThan(2 * CAPACITY * 90 / 100);
    crowd.world.storeReturns(data);
    long healed = crowd.world.now() + 2 * SECOND;
    crowd.run(2 * WINDOW);
    assertThat(crowd.mostInAnyWindow(WINDOW, healed + WINDOW))
        .isLessThanOrEqualTo(CAPACITY + bound(3, 198, LATE));
    assertThat(crowd.releasedSince(5 * WINDOW)).isGreaterThan(CAPACITY * 90 / 100);
  }

  @Test
  void storeThatForgetsAll_isToldAllAgain() {
    CountingCrowd crowd = crowd(TRAILING, STEADY, 1);
    crowd.add(3, 66, 0, new Random(1));
    for (int life = 0; life < 6; life++) {
      crowd.run(40 * SECOND);
      crowd.world.store.flush();
    }
    crowd.add(99, 0);
    long joined = crowd.world.now() + SECOND;
    crowd.run(WINDOW);
    assertThat(crowd.mostInAnyWindow(WINDOW, 0))
        .isLessThanOrEqualTo(CAPACITY + bound(3, 198, LATE + 2 * SECOND));
    assertThat(crowd.mostInAnyWindow(WINDOW, joined))
        .isLessThanOrEqualTo(CAPACITY + bound(4, 297, LATE + 2 * SECOND));
  }

  @Test
  void joiner_leavesRoomForWhatOthersCountedBeforeItCame() {
    CountingCrowd crowd = crowd(TRAILING, STEADY, 1);
    crowd.add(2, 50, 0, new Random(1));
    crowd.run(WINDOW + 30 * SECOND);
    crowd.add(99, 0);
    long before = crowd.world.now();
    crowd.run(WINDOW);
    assertThat(crowd.mostInAnyWindow(WINDOW, before)).isLessThanOrEqualTo(CAPACITY * 105 / 100);
  }

  @Test
  void oneAlone_isAsIfNothingWereShared() {
    CountingCrowd crowd = crowd(TRAILING, STEADY, 1);
    ShareWorld.Node node = crowd.add(250, 0);
    crowd.run(3 * WINDOW);
    assertThat(crowd.mostInAnyWindow(WINDOW, 0)).isEqualTo(CAPACITY);
    assertThat(node.sync.counts().counted(ID, node.clock())).isZero();
  }
}
