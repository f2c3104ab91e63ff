package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.simulator.SimWindows;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests how much members use of limits without windows when each has more demand than it may use.
 */
class LimitKindsTest {
  private static final long DAY = LimitSpec.Day.NANOS;

  /** Returns a world with {@code perSecond} requests a second for all members together. */
  private static SliceWorld offered(LimitSpec spec, int members, double perSecond, long until) {
    SliceWorld sliceWorld = new SliceWorld(members, spec);
    long largest = spec instanceof LimitSpec.Strict ? 1 : 3;
    for (int each = 0; each < members; each++) {
      SliceSyncTest.offer(
          sliceWorld, sliceWorld.join(), (long) (SECOND * members / perSecond), largest, until);
    }
    sliceWorld.run(until);
    assertThat(sliceWorld.most())
        .isLessThanOrEqualTo(SimWindows.capacity(spec, sliceWorld.wayNanos()));
    return sliceWorld;
  }

  /** Returns the share of {@code perSecond} that passed once all members know each other. */
  private static double used(SliceWorld sliceWorld, double perSecond) {
    long from = START + 20 * SECOND;
    return sliceWorld.released(from, sliceWorld.now())
        / (perSecond * (sliceWorld.now() - from) / SECOND);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void bucket_isUsedUp(int members) {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(300, 1), 600);
    SliceWorld sliceWorld = offered(spec, members, 900, START + 80 * SECOND);
    assertThat(used(sliceWorld, 300)).isGreaterThanOrEqualTo(0.97);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void slidingWindow_isUsedUp(int members) {
    SliceWorld sliceWorld =
        offered(new LimitSpec.SlidingWindow(6_000, 12 * SECOND), members, 900, START + 80 * SECOND);
    assertThat(used(sliceWorld, 500)).isGreaterThanOrEqualTo(0.97);
  }

  @ParameterizedTest
  @CsvSource({"1, 20", "3, 20", "10, 20", "1, 150", "3, 150", "10, 150", "3, 1000"})
  void slots_areUsedUp(int members, int perSecond) {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(perSecond, 1), 0);
    SliceWorld sliceWorld = offered(spec, members, 2.0 * perSecond, START + 60 * SECOND);
    assertThat(used(sliceWorld, perSecond)).isGreaterThanOrEqualTo(0.9);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 10})
  void day_isUsedUpAndBeginsAtItsMidnight(int members) {
    SliceWorld sliceWorld = offered(LimitKinds.DAY, members, 500, START + 20 * SECOND);
    long midnight = START + 10 * SECOND - START % SECOND + 300 * MILLI;
    assertThat(sliceWorld.released(START, midnight)).isGreaterThan(880);
    assertThat(sliceWorld.released(midnight, midnight + 2 * SECOND)).isGreaterThan(600);
    assertThat(sliceWorld.released(midnight, sliceWorld.now())).isGreaterThan(880);
  }

  @Test
  @Tag("long")
  void dayOfTwentyFourHours_beginsWithItsFirstUseForAllAndAnewAfterIt() {
    SliceWorld sliceWorld = new SliceWorld(1, LimitKinds.SPAN);
    SliceNode first = sliceWorld.join();
    SliceNode second = sliceWorld.join();
    sliceWorld.run(START + 5 * SECOND);
    first.arrive(500);
    sliceWorld.run(START + 50 * SECOND); // until it has given back its stock
    second.arrive(200);
    sliceWorld.run(START + 51 * SECOND);
    assertThat(sliceWorld.releases).hasSize(2);
    long ends = sliceWorld.releases.getFirst().at + DAY + 300 * MILLI;
    sliceWorld.run(ends - 50 * SECOND);
    first.arrive(201);
    sliceWorld.run(ends - MILLI);
    assertThat(sliceWorld.releases).hasSize(2);
    sliceWorld.run(ends + SECOND);
    assertThat(sliceWorld.releases).hasSize(3);
    sliceWorld.run(ends + 50 * SECOND);
    second.arrive(600);
    second.arrive(100);
    sliceWorld.run(ends + 100 * SECOND);
    assertThat(sliceWorld.releases).hasSize(4);
    assertThat(second.waits()).isEqualTo(1);
  }

  @Test
  void dayOfTwentyFourHours_isTheSameAfterTheStoreForgotIt() {
    SliceWorld sliceWorld = new SliceWorld(1, LimitKinds.SPAN);
    SliceNode first = sliceWorld.join();
    SliceNode second = sliceWorld.join();
    sliceWorld.run(START + 5 * SECOND);
    first.arrive(600);
    sliceWorld.run(START + 10 * SECOND);
    sliceWorld.store.flush(true);
    second.arrive(301);
    sliceWorld.run(START + 60 * SECOND);
    assertThat(sliceWorld.releases).hasSize(1);
    first.arrive(300);
    sliceWorld.run(START + 100 * SECOND);
    assertThat(sliceWorld.releases).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "1, 10", "3, 3", "10, 10"})
  void smallBucket_isNotKeptByThoseWhoWereFirst(long burst, int members) {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(5, 1), burst);
    SliceWorld sliceWorld = new SliceWorld(members, spec);
    for (int each = 0; each < members; each++) {
      SliceNode node = sliceWorld.join();
      for (int request = 0; request < 3; request++) {
        sliceWorld.at(START + 5 * SECOND, () -> node.arrive(1));
      }
    }
    sliceWorld.run(START + 5 * SECOND + 3L * members * SECOND);
    assertThat(sliceWorld.nodes).allMatch(node -> node.waits() == 0);
    assertThat(sliceWorld.most()).isLessThanOrEqualTo(burst);
  }
}
