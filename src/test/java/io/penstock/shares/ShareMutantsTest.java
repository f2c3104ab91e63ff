package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.MemoryShareStore.Rule;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import io.penstock.suite.TaggedTests;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Leaves each rule of the store out: in the run that the table names for it, a limit is exceeded or
 * a request does not go. A lease takes four seconds.
 */
class ShareMutantsTest {
  private static final LimitId ID = ShareWorld.limit("l0");
  private static final int SEEDS = 200;

  /**
   * @param seed of the world
   * @param leftOut rules that the store does without
   */
  private record Run(long seed, Set<Rule> leftOut) {}

  /** A situation that a rule is for. */
  private interface Situation {
    /** Returns by how much the limit is exceeded, or how much did not go that should have. */
    long wrong(Run run);
  }

  private static Situation situation(Rule rule) {
    return switch (rule) {
      case LATE_CALLS_ARE_IGNORED -> ShareMutantsTest::lateCall;
      case OLDER_EPOCHS_ARE_IGNORED -> ShareMutantsTest::callOfEarlierEpoch;
      case LONGER_WAITERS_COME_FIRST -> ShareMutantsTest::largeRequestBeforeSmallOnes;
      case THE_DEAD_COUNT_UNTIL_THEY_DECAYED -> ShareMutantsTest::spendsAllAndDies;
      case OTHER_RUNS_ARE_DOUBTED -> ShareMutantsTest::failoverToLaggingCopy;
      case LOWER_COUNTS_ARE_DOUBTED -> ShareMutantsTest::sameRunWithOlderData;
      case NEW_EPOCHS_KEEP_ROWS -> ShareMutantsTest::leavesBeforeFailover;
      case HEARD_ROWS_ARE_KEPT, LONG_SHARES_ARE_TOLD -> ShareMutantsTest::diesInFlush;
      case ALL_MUST_REGISTER, MISSING_STATEMENTS_ARE_UNCERTAIN ->
          ShareMutantsTest::cutOffSinceFlush;
      case NEWCOMERS_WAIT -> ShareMutantsTest::newcomerAloneAtEmptyStore;
      case STRANGERS_GET_NOTHING -> ShareMutantsTest::strangerBeforeFlush;
      case BEATS_ARE_COMPARED -> ShareMutantsTest::lateNewsOfDeath;
      case THE_BURIED_ARE_TOLD -> ShareMutantsTest::continuesAloneAndComesBack;
      case THE_LEAST_CAPACITY_HOLDS -> ShareMutantsTest::limitIsLowered;
      case EARLIER_CELLS_COUNT -> ShareMutantsTest::dayOfOneEndsEarly;
      case LATER_STATEMENTS_OF_THE_DEAD_COUNT -> ShareMutantsTest::backBeforeLateCall;
      case WHAT_THE_RELEASED_SPENT_COUNTS -> ShareMutantsTest::spendsAllDiesAndIsReleased;
      case THE_LIVING_ARE_NOT_RELEASED -> ShareMutantsTest::isReleasedWhileItLives;
    };
  }

  @ParameterizedTest
  @EnumSource
  void ruleIsLeftOut_itsSituation_isFound(Rule rule) {
    assertThat(situation(rule).wrong(new Run(1, Set.of()))).isNotPositive();
    assertThat(situation(rule).wrong(new Run(1, EnumSet.of(rule)))).isPositive();
  }

  @Tag(TaggedTests.FULL)
  @ParameterizedTest
  @EnumSource
  void situation_atOtherInstants_isWrongOnlyWithoutItsRule(Rule rule) {
    int found = 0;
    for (long seed = 2; seed < 2 + SEEDS; seed++) {
      assertThat(situation(rule).wrong(new Run(seed, Set.of()))).as("%d", seed).isNotPositive();
      found += situation(rule).wrong(new Run(seed, EnumSet.of(rule))) > 0 ? 1 : 0;
    }
    assertThat(found).isGreaterThan(SEEDS / 2);
  }

  private static ShareWorld world(Run run, boolean continues, Terms limit, int nodes) {
    ShareTerms terms =
        new ShareTerms(4 * SECOND, 500 * MILLI, SECOND, 100 * MILLI, 17 * SECOND, continues);
    ShareWorld world =
        new ShareWorld(
            run.seed(),
            new ShareWorld.Setting(
                terms,
                ShareWorld.limits(limit),
                5 * MILLI,
                0,
                0,
                0,
                50 * MILLI,
                15,
                20 * MILLI,
                run.leftOut()));
    for (int i = 0; i < nodes; i++) {
      world.join(i, 0);
    }
    return world;
  }

  private static Terms trailing() {
    return new Terms(Kind.TRAILING, 300, 10 * SECOND);
  }

  /** A day of 50 seconds: one begins at 50. */
  private static Terms day() {
    return new Terms(Kind.DAY, 100, 50 * SECOND);
  }

  private static void burst(ShareWorld world, int node, double second, int count, long amount) {
    world.atSecond(
        second,
        () -> {
          for (int i = 0; i < count; i++) {
            world.nodes.get(node).arrive(ID, amount, false);
          }
        });
  }

  private static void lag(ShareWorld world, int node, double from, double to, long nanos) {
    world.atSecond(from, () -> world.nodes.get(node).lag(nanos));
    world.atSecond(to, () -> world.nodes.get(node).lag(0));
  }

  private static void cut(ShareWorld world, int node, double from, double to) {
    world.atSecond(from, () -> world.nodes.get(node).cut(true));
    world.atSecond(to, () -> world.nodes.get(node).cut(false));
  }

  private static long over(ShareWorld world, double until) {
    world.run(until);
    return world.oracle.worst(world.setting.limits()).over();
  }

  /** The first call of 0 comes to the store after it was given all. */
  private static long lateCall(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    lag(world, 0, 30, 30.5, 5 * SECOND);
    burst(world, 0, 30, 10, 30);
    burst(world, 1, 32, 10, 30);
    return over(world, 60);
  }

  /** 1 has heard that 0 holds 50 of the day, when a call of 0 comes late that stated less. */
  private static long callOfEarlierEpoch(Run run) {
    ShareWorld world = world(run, false, day(), 2);
    lag(world, 0, 60, 60.5, 20 * SECOND);
    burst(world, 0, 60, 5, 10);
    world.atSecond(64, () -> world.nodes.get(0).crash());
    world.atSecond(64, () -> world.store.flush());
    burst(world, 1, 65, 130, 1);
    return over(world, 99);
  }

  /** 1 gives all up little by little: 0 waits first, and the others would take each part. */
  private static long largeRequestBeforeSmallOnes(Run run) {
    ShareWorld world = world(run, false, trailing(), 4);
    for (int i = 0; i < 30; i++) {
      burst(world, 1, 30 + i / 3.0, 1, 10);
    }
    burst(world, 0, 40, 1, 70);
    burst(world, 2, 40.2, 200, 10);
    burst(world, 3, 40.2, 200, 10);
    world.run(46);
    return 70 - world.oracle.sum(ID, 0, 40 * SECOND, 46 * SECOND);
  }

  private static long spendsAllAndDies(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 10, 30);
    world.atSecond(31, () -> world.nodes.get(0).crash());
    burst(world, 1, 32, 10, 30);
    return over(world, 60);
  }

  private static void release(ShareWorld world, int asked, int gone, double second) {
    String name = world.nodes.get(gone).name;
    world.atSecond(second, () -> world.nodes.get(asked).sync.release(name));
  }

  /** 0 states what it has spent, because 1 waits. */
  private static long spendsAllDiesAndIsReleased(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 10, 30);
    burst(world, 1, 30.5, 10, 30);
    world.atSecond(32, () -> world.nodes.get(0).crash());
    release(world, 1, 0, 38);
    return over(world, 60);
  }

  /** 0 has spent all, and is cut off before it has told of that. */
  private static long isReleasedWhileItLives(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 30, 10);
    cut(world, 0, 30.06, 32);
    release(world, 1, 0, 31);
    burst(world, 1, 31.2, 30, 10);
    return over(world, 45);
  }

  /** 1 was given all after the copy was taken; 0 has not heard of anything since. */
  private static long failoverToLaggingCopy(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    AtomicReference<MemoryShareStore> copy = new AtomicReference<>();
    world.atSecond(30, () -> copy.set(world.snapshot()));
    cut(world, 0, 30, 31);
    burst(world, 1, 30.1, 10, 30);
    world.atSecond(31, () -> world.store = copy.get());
    cut(world, 1, 31, 33);
    burst(world, 0, 31, 10, 30);
    return over(world, 60);
  }

  private static long sameRunWithOlderData(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    AtomicReference<MemoryShareStore> copy = new AtomicReference<>();
    world.atSecond(29, () -> copy.set(world.store.inRun("run0")));
    burst(world, 1, 30, 10, 30);
    world.atSecond(31, () -> world.store = copy.get());
    burst(world, 0, 31.1, 10, 30);
    return over(world, 60);
  }

  private static long leavesBeforeFailover(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 10, 30);
    world.atSecond(31, () -> world.nodes.get(0).leave());
    world.atSecond(31.5, () -> world.store = world.snapshot());
    burst(world, 1, 32, 10, 30);
    return over(world, 60);
  }

  /** 1 has not used the limit yet, so all that it can know of it is told. */
  private static long diesInFlush(Run run) {
    ShareWorld world = world(run, false, day(), 2);
    burst(world, 0, 60, 6, 10);
    world.atSecond(63, () -> world.nodes.get(0).crash());
    world.atSecond(63, () -> world.store.flush());
    burst(world, 1, 64, 10, 10);
    return over(world, 99);
  }

  /** 0 holds all that it spent some time ago, and spends it again until its lease ends. */
  private static long cutOffSinceFlush(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 25, 10);
    burst(world, 0, 38, 1, 1);
    cut(world, 0, 42, 60);
    world.atSecond(42, () -> world.store.flush());
    burst(world, 1, 42.1, 25, 10);
    burst(world, 0, 43, 25, 10);
    return over(world, 75);
  }

  private static long newcomerAloneAtEmptyStore(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 30, 10);
    cut(world, 0, 31, 36);
    cut(world, 1, 31, 36);
    world.atSecond(31, () -> world.store.flush());
    world.atSecond(31, () -> world.join(2, 0));
    burst(world, 2, 31.2, 30, 10);
    return over(world, 60);
  }

  /** 2 has just come when the store is flushed: the others, cut off for a moment, missed it. */
  private static long strangerBeforeFlush(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    cut(world, 0, 30, 32);
    cut(world, 1, 30, 32);
    world.atSecond(30, () -> world.join(2, 0));
    burst(world, 2, 30.2, 10, 30);
    world.atSecond(32, () -> world.store.flush());
    cut(world, 2, 32, 35);
    burst(world, 0, 32.1, 10, 30);
    return over(world, 60);
  }

  /** 1 saw that 0 was cut off, and says so late, when 0 is back and has been given something. */
  private static long lateNewsOfDeath(Run run) {
    ShareWorld world = world(run, false, day(), 2);
    cut(world, 0, 56, 61);
    lag(world, 1, 59, 61, 5 * SECOND);
    burst(world, 0, 63.8, 1, 60);
    world.atSecond(64, () -> world.store.flush());
    cut(world, 0, 64, 67);
    burst(world, 1, 64.1, 10, 10);
    return over(world, 99);
  }

  /** While it is cut off it spends a little, so that it does not give its share up as idle. */
  private static long continuesAloneAndComesBack(Run run) {
    ShareWorld world = world(run, true, trailing(), 2);
    burst(world, 0, 30, 10, 10);
    cut(world, 0, 41, 75.5);
    burst(world, 1, 63, 20, 15);
    for (int second = 43; second < 76; second += 2) {
      burst(world, 0, second, 1, 1);
    }
    burst(world, 0, 80, 20, 15);
    burst(world, 1, 80, 20, 15);
    world.run(120);
    return world.oracle.worst(world.setting.limits(), 75_500 * MILLI).over();
  }

  /** 2 comes with a lower limit than the others know. */
  private static long limitIsLowered(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    Map<LimitId, Terms> lowered = ShareWorld.limits(new Terms(Kind.TRAILING, 100, 10 * SECOND));
    world.atSecond(30, () -> world.join(2, 0, lowered));
    burst(world, 2, 33, 1, 1);
    burst(world, 0, 45, 30, 10);
    world.run(54);
    return world.oracle.worst(lowered, 40 * SECOND).over();
  }

  private static long dayOfOneEndsEarly(Run run) {
    ShareWorld world = world(run, false, day(), 2);
    world.nodes.get(0).wall(500 * MILLI);
    world.nodes.get(1).wall(-500 * MILLI);
    burst(world, 0, 61, 9, 10);
    burst(world, 0, 99.55, 1, 3);
    burst(world, 1, 99.7, 1, 40);
    return over(world, 120);
  }

  /** 0 is back and states what it spent, when a call comes that was made before that was heard. */
  private static long backBeforeLateCall(Run run) {
    ShareWorld world = world(run, true, trailing(), 2);
    burst(world, 0, 30, 10, 10);
    for (int second = 43; second < 74; second += 3) {
      burst(world, 0, second, 1, 1);
    }
    burst(world, 0, 74, 9, 10);
    cut(world, 0, 41, 75);
    cut(world, 1, 74.9, 76);
    lag(world, 1, 75.9, 77.2, 500 * MILLI);
    burst(world, 1, 76, 30, 10);
    return over(world, 90);
  }
}
