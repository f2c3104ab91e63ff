package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.sim.SimWindows;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests how much members use of limits without windows when each has more demand than it may use.
 */
class KindsTest {
  private static final long DAY = LimitSpec.Day.NANOS;

  /** Returns a world with {@code perSecond} requests a second for all members together. */
  private static World offered(LimitSpec spec, int members, double perSecond, long until) {
    World world = new World(members, spec);
    long largest = spec instanceof LimitSpec.Strict ? 1 : 3;
    for (int each = 0; each < members; each++) {
      RoundsTest.offer(world, world.join(), (long) (SECOND * members / perSecond), largest, until);
    }
    world.run(until);
    assertThat(world.most()).isLessThanOrEqualTo(SimWindows.capacity(spec, world.wayNanos()));
    return world;
  }

  /** Returns the share of {@code perSecond} that passed once all members know each other. */
  private static double used(World world, double perSecond) {
    long from = START + 20 * SECOND;
    return world.released(from, world.now()) / (perSecond * (world.now() - from) / SECOND);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void bucket_isUsedUp(int members) {
    LimitSpec spec = new LimitSpec.TokenBucket(new Rate(300, 1), 600);
    World world = offered(spec, members, 900, START + 80 * SECOND);
    assertThat(used(world, 300)).isGreaterThanOrEqualTo(0.97);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 10})
  void slidingWindow_isUsedUp(int members) {
    World world =
        offered(new LimitSpec.SlidingWindow(6_000, 12 * SECOND), members, 900, START + 80 * SECOND);
    assertThat(used(world, 500)).isGreaterThanOrEqualTo(0.97);
  }

  @ParameterizedTest
  @CsvSource({"1, 20", "3, 20", "10, 20", "1, 150", "3, 150", "10, 150", "3, 1000"})
  void slots_areUsedUp(int members, int perSecond) {
    LimitSpec spec = new LimitSpec.Strict(new Rate(perSecond, 1));
    World world = offered(spec, members, 2.0 * perSecond, START + 60 * SECOND);
    assertThat(used(world, perSecond)).isGreaterThanOrEqualTo(0.9);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 10})
  void day_isUsedUpAndBeginsAtItsMidnight(int members) {
    World world = offered(Kinds.DAY, members, 500, START + 20 * SECOND);
    long midnight = START + 10 * SECOND - START % SECOND + 300 * MILLI;
    assertThat(world.released(START, midnight)).isGreaterThan(880);
    assertThat(world.released(midnight, midnight + 2 * SECOND)).isGreaterThan(600);
    assertThat(world.released(midnight, world.now())).isGreaterThan(880);
  }

  @Test
  @Tag("long")
  void dayOfTwentyFourHours_beginsWithItsFirstUseForAllAndAnewAfterIt() {
    World world = new World(1, Kinds.SPAN);
    Node first = world.join();
    Node second = world.join();
    world.run(START + 5 * SECOND);
    first.arrive(500);
    world.run(START + 50 * SECOND); // until it has given back its stock
    second.arrive(200);
    world.run(START + 51 * SECOND);
    assertThat(world.releases).hasSize(2);
    long ends = world.releases.getFirst().at + DAY + 300 * MILLI;
    world.run(ends - 50 * SECOND);
    first.arrive(201);
    world.run(ends - MILLI);
    assertThat(world.releases).hasSize(2);
    world.run(ends + SECOND);
    assertThat(world.releases).hasSize(3);
    world.run(ends + 50 * SECOND);
    second.arrive(600);
    second.arrive(100);
    world.run(ends + 100 * SECOND);
    assertThat(world.releases).hasSize(4);
    assertThat(second.waits()).isEqualTo(1);
  }

  @Test
  void dayOfTwentyFourHours_isTheSameAfterTheStoreForgotIt() {
    World world = new World(1, Kinds.SPAN);
    Node first = world.join();
    Node second = world.join();
    world.run(START + 5 * SECOND);
    first.arrive(600);
    world.run(START + 10 * SECOND);
    world.store.flush(true);
    second.arrive(301);
    world.run(START + 60 * SECOND);
    assertThat(world.releases).hasSize(1);
    first.arrive(300);
    world.run(START + 100 * SECOND);
    assertThat(world.releases).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "1, 10", "3, 3", "10, 10"})
  void smallBucket_isNotKeptByThoseWhoWereFirst(long burst, int members) {
    LimitSpec spec = new LimitSpec.TokenBucket(new Rate(5, 1), burst);
    World world = new World(members, spec);
    for (int each = 0; each < members; each++) {
      Node node = world.join();
      for (int request = 0; request < 3; request++) {
        world.at(START + 5 * SECOND, () -> node.arrive(1));
      }
    }
    world.run(START + 5 * SECOND + 3L * members * SECOND);
    assertThat(world.nodes).allMatch(node -> node.waits() == 0);
    assertThat(world.most()).isLessThanOrEqualTo(burst);
  }
}
