package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

/** Tests a daily limit over a restart of the store, which has kept all data, or has not. */
class RestartTest {
  private static final long LIMIT = 1_000;

  private final SliceWorld world = new SliceWorld(1, new LimitSpec.Day(LIMIT, null, 0));

  private void runFor(long nanos) {
    world.run(world.now() + nanos);
  }

  private SliceNode joined() {
    SliceNode node = world.join();
    runFor(TTL + SECOND);
    return node;
  }

  /** Restarts the store as another process, with all its data. */
  private void restart() {
    world.store.rollback(world.now(), true);
  }

  private long released() {
    return world.released(SliceWorld.START, world.now() + 1);
  }

  private void assertServed(SliceNode node) {
    long before = released();
    node.arrive(7);
    runFor(3 * TTL);
    assertThat(released() - before).as("what is let go of 7 that are left").isEqualTo(7);
    assertThat(world.most()).isLessThanOrEqualTo(LIMIT);
  }

  @Test
  void afterOneLeft_deniesNobody_norWhoStartsLater() {
    SliceNode stays = joined();
    SliceNode leaves = joined();
    stays.arrive(3);
    leaves.arrive(2);
    runFor(SECOND);
    leaves.leave();
    runFor(100 * MILLI);
    restart();
    runFor(3 * TTL);
    assertServed(stays);
    assertServed(joined());
    runFor(3_600 * SECOND);
    assertServed(stays);
  }

  @Test
  void longAfterOneCrashed_deniesNobody_norWhoStartsLater() {
    SliceNode stays = joined();
    SliceNode crashes = joined();
    stays.arrive(3);
    crashes.arrive(2);
    runFor(SECOND);
    crashes.crash();
    runFor(3 * TTL);
    restart();
    assertServed(stays);
    assertServed(joined());
  }

  @Test
  void whileAllLive_isGrantedAgainOnceAllWereHeard() {
    SliceNode one = joined();
    SliceNode other = joined();
    runFor(SECOND);
    one.limit().sharing().dropSlices();
    other.limit().sharing().dropSlices();
    restart();
    one.arrive(7);
    other.arrive(7);
    runFor(TTL);
    assertThat(released()).isEqualTo(14);
  }

  @Test
  void whileItWasAway_deniesNobody() {
    SliceNode one = joined();
    SliceNode other = joined();
    one.arrive(3);
    other.arrive(3);
    runFor(SECOND);
    world.store.cut = true;
    runFor(30 * SECOND);
    restart();
    world.store.cut = false;
    runFor(3 * TTL);
    assertServed(one);
    assertServed(other);
    assertServed(joined());
  }

  @Test
  void instanceThatStartsRightAfterIt_doesNotMissWhoIsLongGone() {
    SliceNode crashes = joined();
    SliceNode stays = joined();
    crashes.arrive(2);
    stays.arrive(3);
    runFor(SECOND);
    crashes.crash();
    runFor(60 * SECOND);
    restart();
    SliceNode starts = world.join();
    runFor(3 * TTL);
    assertServed(starts);
    assertServed(stays);
  }

  @Test
  void thatLostWhatOneWasGrantedThatIsAway_isToldOfItThoughMoreRoundsWereCountedSince() {
    SliceNode away = joined();
    SliceNode there = joined();
    runFor(SECOND);
    world.store.away.add(there.name());
    runFor(SECOND);
    long kept = world.now();
    away.arrive(LIMIT - 10);
    runFor(SECOND / 2);
    assertThat(released()).isEqualTo(LIMIT - 10);
    world.store.away.add(away.name());
    world.store.rollback(kept, true);
    world.store.away.remove(there.name());
    there.arrive(LIMIT - 10);
    runFor(TTL / 2);
    world.store.away.remove(away.name());
    runFor(10 * TTL);
    assertThat(world.most()).isLessThanOrEqualTo(LIMIT);
  }

  @Test
  void thatLostWhatOneWasGrantedThatCrashed_grantsNothingMore() {
    SliceNode crashes = joined();
    SliceNode stays = joined();
    runFor(SECOND);
    long kept = world.now();
    crashes.arrive(LIMIT - 10);
    runFor(SECOND / 2);
    crashes.crash();
    stays.arrive(1);
    runFor(SECOND / 2);
    world.store.rollback(kept, true);
    long before = released();
    runFor(3 * TTL);
    stays.arrive(20);
    runFor(10 * TTL);
    assertThat(released()).isEqualTo(before);
    assertThat(stays.rounds().figures().barred()).isEqualTo(1);
    SliceNode starts = joined();
    starts.arrive(1);
    runFor(TTL);
    assertThat(released()).isEqualTo(before);
    assertThat(starts.limit().sharing().isBarred(1, starts.local())).isTrue();
    assertThat(starts.rounds().figures().barred()).isEqualTo(1);
  }

  @Test
  void flushedStore_afterOneLeft_grantsNothingMoreOfWhatThatMaySpendStill() {
    SliceNode stays = joined();
    SliceNode leaves = joined();
    leaves.arrive(LIMIT - 10);
    runFor(SECOND);
    leaves.leave();
    runFor(SECOND);
    world.store.flush(false);
    runFor(3 * TTL);
    stays.arrive(20);
    runFor(10 * TTL);
    assertThat(released()).isEqualTo(LIMIT - 10);
  }
}
