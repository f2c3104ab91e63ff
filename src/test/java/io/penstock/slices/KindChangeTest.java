package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests reloads that change the kind of a limit which members share exactly. */
class KindChangeTest {
  private static final long CAPACITY = 900;
  private static final int SEEDS = Boolean.getBoolean("penstock.deep") ? 100 : 20;
  private static final LimitSpec UTC = day(ZoneOffset.UTC);
  private static final LimitSpec PACIFIC = day(ZoneId.of("America/Los_Angeles"));
  private static final LimitSpec FIRST_USE = new LimitSpec.Day(CAPACITY, null, 0);

  /** The world starts 24 s after a window of this limit begins, and ends before the next one. */
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(CAPACITY, 60 * SECOND);

  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(CAPACITY, 60 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new ExactRate(20, 1), 100);
  private static final LimitSpec STRICT = new LimitSpec.Strict(new ExactRate(20, 1), 0);

  private static LimitSpec day(ZoneId zone) {
    return new LimitSpec.Day(CAPACITY, new ZoneMidnights(zone, () -> START / MILLI), 0);
  }

  /** Returns kinds with windows that do not end during a test. */
  static Stream<Arguments> windows() {
    return Stream.of(
        Arguments.of(UTC, FIRST_USE),
        Arguments.of(FIRST_USE, UTC),
        Arguments.of(UTC, PACIFIC),
        Arguments.of(PACIFIC, UTC),
        Arguments.of(PACIFIC, FIRST_USE),
        Arguments.of(FIRST_USE, PACIFIC),
        Arguments.of(FIXED, TRAILING),
        Arguments.of(TRAILING, FIXED));
  }

  static Stream<Arguments> rates() {
    return Stream.of(Arguments.of(BUCKET, STRICT), Arguments.of(STRICT, BUCKET));
  }

  private static long spent(SliceWorld sliceWorld) {
    return sliceWorld.released(START, sliceWorld.now() + 1);
  }

  /** Sends requests of 10 to a member until the given number waits. */
  private static void ask(SliceNode node, int requests) {
    for (int each = 0; each < requests; each++) {
      node.arrive(10);
    }
  }

  private static long spentBy(SliceWorld sliceWorld, SliceNode node) {
    return sliceWorld.releases.stream()
        .filter(each -> each.by.equals(node.name()))
        .mapToLong(each -> each.amount)
        .sum();
  }

  @ParameterizedTest
  @MethodSource("windows")
  void reloadOfTheOnlyMember_goesOnAtOnce_withWhatIsLeft(LimitSpec before, LimitSpec after) {
    SliceWorld sliceWorld = new SliceWorld(1, before);
    SliceNode node = sliceWorld.join();
    ask(node, 60);
    sliceWorld.run(START + 4 * SECOND);
    assertThat(spent(sliceWorld)).isEqualTo(600);
    node.reload(after);
    ask(node, 10);
    sliceWorld.run(START + 5 * SECOND);
    assertThat(spent(sliceWorld)).as("a second after the reload").isEqualTo(700);
    ask(node, 60);
    sliceWorld.run(START + 12 * SECOND);
    assertThat(spent(sliceWorld)).isEqualTo(CAPACITY);
  }

  @ParameterizedTest
  @MethodSource("windows")
  void oldAndNewSideBySide_bothAreServed_andNeverMoreThanTheLimit(
      LimitSpec before, LimitSpec after) {
    SliceWorld sliceWorld = new SliceWorld(2, before);
    SliceNode old = sliceWorld.join();
    ask(old, 20);
    sliceWorld.run(START + 4 * SECOND);
    SliceNode next = sliceWorld.join(after);
    sliceWorld.run(START + 7 * SECOND);
    for (int each = 0; each < 10; each++) {
      ask(next, 1);
      ask(old, 1);
      sliceWorld.run(sliceWorld.now() + SECOND / 2);
    }
    assertThat(old.waits()).isZero();
    assertThat(next.waits()).isZero();
    assertThat(spentBy(sliceWorld, next)).isEqualTo(100);
    ask(old, 100);
    ask(next, 100);
    sliceWorld.run(START + 20 * SECOND);
    assertThat(spent(sliceWorld)).isEqualTo(CAPACITY);
    old.crash();
    next.leave();
    SliceNode last = sliceWorld.join(after);
    ask(last, 10);
    sliceWorld.run(START + 30 * SECOND);
    assertThat(spent(sliceWorld)).isEqualTo(CAPACITY);
  }

  @ParameterizedTest
  @MethodSource("windows")
  void reloadsBackAndForth_areServedAllTheTime(LimitSpec before, LimitSpec after) {
    SliceWorld sliceWorld = new SliceWorld(3, before);
    List<SliceNode> nodes = List.of(sliceWorld.join(), sliceWorld.join(), sliceWorld.join());
    sliceWorld.run(START + 3 * SECOND);
    LimitSpec current = before;
    for (int reload = 0; reload < 6; reload++) {
      current = current.equals(before) ? after : before;
      for (SliceNode node : nodes) {
        node.reload(current);
        ask(node, 2);
        sliceWorld.run(sliceWorld.now() + SECOND / 4);
      }
      sliceWorld.run(sliceWorld.now() + SECOND);
      assertThat(nodes).as("reload %d", reload).allMatch(node -> node.waits() == 0);
      assertThat(spent(sliceWorld)).isEqualTo(60L * (reload + 1));
    }
    nodes.forEach(node -> ask(node, 60));
    sliceWorld.run(START + 30 * SECOND);
    assertThat(spent(sliceWorld)).isEqualTo(CAPACITY);
  }

  /** Messages are lost, late and repeated, members crash and join, and reloads come at any time. */
  @ParameterizedTest
  @MethodSource("windows")
  void reloadsWhileThingsGoWrong_neverMoreThanTheLimit(LimitSpec before, LimitSpec after) {
    long all = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      SliceWorld sliceWorld = disturbed(seed, before, after);
      assertThat(spent(sliceWorld)).as("seed %d", seed).isLessThanOrEqualTo(CAPACITY);
      all += spent(sliceWorld);
    }
    assertThat(all).as("what all spent").isGreaterThan(SEEDS * CAPACITY / 2);
  }

  private static SliceWorld disturbed(long seed, LimitSpec before, LimitSpec after) {
    SliceWorld sliceWorld = new SliceWorld(seed, before);
    Random random = sliceWorld.random;
    sliceWorld.store.loss = random.nextInt(3) * 0.05;
    sliceWorld.store.twice = random.nextInt(3) * 0.05;
    sliceWorld.store.slowest = List.of(5, 300, 900).get(random.nextInt(3)) * MILLI;
    List<SliceNode> nodes = new ArrayList<>();
    for (int each = 2 + random.nextInt(3); each > 0; each--) {
      nodes.add(sliceWorld.join());
    }
    for (int step = 0; step < 40; step++) {
      SliceNode node = nodes.get(random.nextInt(nodes.size()));
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> node.reload(random.nextBoolean() ? before : after);
        case 3 -> node.crash();
        case 4 -> nodes.add(sliceWorld.join(random.nextBoolean() ? before : after));
        case 5 -> node.giveBack();
        default -> ask(node, random.nextInt(20));
      }
      sliceWorld.run(sliceWorld.now() + random.nextLong(SECOND));
    }
    return sliceWorld;
  }

  @ParameterizedTest
  @MethodSource("rates")
  void reloadOfARate_keepsServing(LimitSpec before, LimitSpec after) {
    SliceWorld sliceWorld = new SliceWorld(4, before);
    List<SliceNode> nodes = List.of(sliceWorld.join(), sliceWorld.join());
    for (SliceNode node : nodes) {
      SliceSyncTest.offer(sliceWorld, node, SECOND / 40, 1, START + 20 * SECOND);
    }
    sliceWorld.run(START + 8 * SECOND);
    nodes.getFirst().reload(after);
    sliceWorld.run(START + 12 * SECOND);
    long ahead =
        after.equals(BUCKET) ? 40 : 0; // slots may be used before they begin, while they last
    assertServed(sliceWorld, ahead, START + 8 * SECOND + SECOND / 2, START + 12 * SECOND);
    nodes.getLast().reload(after);
    sliceWorld.run(START + 20 * SECOND);
    long burst = after.equals(BUCKET) ? 100 : 0; // it starts full
    assertServed(sliceWorld, burst, START + 12 * SECOND, START + 20 * SECOND);
  }

  /** Asserts a throughput between half of 20 a second, and 20 a second plus {@code more}. */
  private static void assertServed(SliceWorld sliceWorld, long more, long from, long until) {
    long rate = 20 * (until - from) / SECOND;
    assertThat(sliceWorld.released(from, until)).isBetween(rate / 2, rate + more + 2);
    for (SliceNode node : sliceWorld.nodes) {
      assertThat(
              sliceWorld.releases.stream()
                  .filter(
                      each -> each.by.equals(node.name()) && each.at >= from && each.at < until))
          .as(node.name())
          .isNotEmpty();
    }
  }

  @Test
  void dayThatWasUsedUp_isUsedUpAsADayOfFirstUseToo() {
    SliceWorld sliceWorld = new SliceWorld(5, UTC);
    SliceNode node = sliceWorld.join();
    ask(node, 90);
    sliceWorld.run(START + 4 * SECOND);
    node.reload(FIRST_USE);
    ask(node, 1);
    sliceWorld.run(START + 10 * SECOND);
    assertThat(spent(sliceWorld)).isEqualTo(CAPACITY);
    assertThat(node.waits()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("windows")
  void lossOfTheOldKind_isToldToThoseThatHaveTheNewOne(LimitSpec before, LimitSpec after) {
    SliceWorld sliceWorld = new SliceWorld(6, before);
    SliceNode crashes = sliceWorld.join();
    SliceNode stays = sliceWorld.join();
    ask(crashes, 20);
    sliceWorld.run(START + 4 * SECOND);
    crashes.crash();
    sliceWorld.store.flush(true);
    ask(stays, 1);
    sliceWorld.run(START + 14 * SECOND);
    assertThat(stays.rounds().figures().barred()).isEqualTo(1);
    SliceNode next = sliceWorld.join(after);
    ask(next, 1);
    sliceWorld.run(START + 20 * SECOND);
    assertThat(spent(sliceWorld)).isEqualTo(200);
    assertThat(next.rounds().figures().barred()).isEqualTo(1);
    assertThat(next.limit().sharing().isBarred(1, next.local())).isTrue();
  }
}
