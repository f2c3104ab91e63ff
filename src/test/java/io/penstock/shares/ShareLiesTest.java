package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import io.penstock.suite.TaggedTests;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lets one instance do without a rule that instances keep: what it says to the store, or hears, is
 * changed on the way. In the situation that the rule is for, a limit is then exceeded or a request
 * does not go. A lease takes four seconds.
 */
class ShareLiesTest {
  private static final LimitId ID = ShareWorld.limit("l0");
  private static final int SEEDS = 200;

  /**
   * @param seed of the world
   * @param lies whether one instance does without the rule
   */
  private record Run(long seed, boolean lies) {}

  /** A rule that an instance does without. */
  enum Lie {
    STATES_LESS_THAN_IT_HOLDS,
    STATES_NOTHING_OF_LATER_DAYS,
    AGES_THE_DEAD,
    ASKS_BEFORE_ALL_IS_CERTAIN,
    USES_AN_EARLIER_ANSWER,
    IGNORES_ITS_TARGET,
    IGNORES_THAT_IT_WAS_BURIED,
    HIDES_WHOM_IT_KNOWS,
    DOES_NOT_WAIT_AT_AN_EMPTY_STORE,
    COUNTS_NO_SUSPENSION
  }

  private static long wrong(Lie lie, Run run) {
    return switch (lie) {
      case STATES_LESS_THAN_IT_HOLDS -> statesLess(run);
      case STATES_NOTHING_OF_LATER_DAYS -> statesNothingLater(run);
      case AGES_THE_DEAD -> agesTheDead(run);
      case ASKS_BEFORE_ALL_IS_CERTAIN -> asksEarly(run);
      case USES_AN_EARLIER_ANSWER -> usesEarlierAnswer(run);
      case IGNORES_ITS_TARGET -> ignoresTarget(run);
      case IGNORES_THAT_IT_WAS_BURIED -> ignoresBurial(run);
      case HIDES_WHOM_IT_KNOWS -> hidesWhomItKnows(run);
      case DOES_NOT_WAIT_AT_AN_EMPTY_STORE -> doesNotWait(run);
      case COUNTS_NO_SUSPENSION -> countsNoSuspension(run);
    };
  }

  @ParameterizedTest
  @EnumSource
  void instanceDoesWithoutRule_itsSituation_isFound(Lie lie) {
    assertThat(wrong(lie, new Run(1, false))).isNotPositive();
    assertThat(wrong(lie, new Run(1, true))).isPositive();
  }

  @Tag(TaggedTests.FULL)
  @ParameterizedTest
  @EnumSource
  void situation_atOtherInstants_isWrongOnlyWithoutItsRule(Lie lie) {
    int found = 0;
    for (long seed = 2; seed < 2 + SEEDS; seed++) {
      assertThat(wrong(lie, new Run(seed, false))).as("%d", seed).isNotPositive();
      found += wrong(lie, new Run(seed, true)) > 0 ? 1 : 0;
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
                Set.of()));
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

  private static void cut(ShareWorld world, int node, double from, double to) {
    world.atSecond(from, () -> world.nodes.get(node).cut(true));
    world.atSecond(to, () -> world.nodes.get(node).cut(false));
  }

  private static long over(ShareWorld world, double until) {
    world.run(until);
    return world.oracle.worst(world.setting.limits()).over();
  }

  private static void says(ShareWorld world, int node, UnaryOperator<Call> calls) {
    world.nodes.get(node).falsify(message -> with(message, calls), UnaryOperator.identity());
  }

  private static Message with(Message message, UnaryOperator<Call> calls) {
    List<Call> said = message.calls().stream().map(calls).toList();
    return new Message(message.member(), said, message.beat());
  }

  private static Call call(Call of, boolean raises, long held, long later, List<Absent> absent) {
    return new Call(
        of.id(),
        of.sequence(),
        of.beat(),
        of.epoch(),
        raises,
        held,
        later,
        of.use(),
        absent,
        of.heard());
  }

  private static void beats(ShareWorld world, int node, UnaryOperator<Beat> beats) {
    world
        .nodes
        .get(node)
        .falsify(
            each -> new Message(each.member(), each.calls(), beats.apply(each.beat())),
            UnaryOperator.identity());
  }

  private static Beat beat(Beat of, List<Peer> known, boolean waited) {
    return new Beat(
        of.number(),
        of.epoch(),
        of.count(),
        of.version(),
        of.registered(),
        of.doubts(),
        of.remembers(),
        known,
        of.still(),
        of.forgotten(),
        of.waits(),
        waited,
        of.leaves(),
        of.told(),
        of.toldUpTo());
  }

  private static void hears(ShareWorld world, int node, UnaryOperator<Answer> answers) {
    world
        .nodes
        .get(node)
        .falsify(
            UnaryOperator.identity(),
            reply -> new Reply(reply.answers().stream().map(answers).toList(), reply.beat()));
  }

  private static long statesLess(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    if (run.lies()) {
      says(world, 0, each -> call(each, each.raises(), 0, each.later(), each.absent()));
    }
    burst(world, 0, 30, 20, 10);
    burst(world, 1, 32, 15, 10);
    return over(world, 60);
  }

  /** 0 is cut off, and spends a little of the new day before its lease ends. */
  private static long statesNothingLater(Run run) {
    ShareWorld world = world(run, false, day(), 2);
    if (run.lies()) {
      says(world, 0, each -> call(each, each.raises(), each.held(), 0, each.absent()));
    }
    burst(world, 0, 60, 6, 10);
    world.atSecond(98, () -> world.nodes.get(0).cut(true));
    burst(world, 0, 100.5, 1, 1);
    world.atSecond(102, () -> world.nodes.get(0).crash());
    burst(world, 1, 103, 110, 1);
    return over(world, 149);
  }

  private static long agesTheDead(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    if (run.lies()) {
      says(world, 1, each -> call(each, each.raises(), each.held(), each.later(), aged(each)));
    }
    burst(world, 0, 30, 30, 10);
    world.atSecond(31, () -> world.nodes.get(0).crash());
    burst(world, 1, 32, 30, 10);
    return over(world, 60);
  }

  private static List<Absent> aged(Call call) {
    return call.absent().stream()
        .map(
            each ->
                new Absent(
                    each.member(), each.number(), each.ageMillis() + 10_000, each.released()))
        .toList();
  }

  private static long asksEarly(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    if (run.lies()) {
      says(world, 1, each -> call(each, true, each.held(), each.later(), each.absent()));
    }
    return spendsSinceFlush(world);
  }

  private static long hidesWhomItKnows(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    if (run.lies()) {
      beats(world, 1, each -> beat(each, List.of(), each.waited()));
    }
    return spendsSinceFlush(world);
  }

  /** 0 spends what it held before the store was flushed, while it is cut off. */
  private static long spendsSinceFlush(ShareWorld world) {
    burst(world, 0, 30, 25, 10);
    burst(world, 0, 38, 1, 1);
    cut(world, 0, 42, 60);
    world.atSecond(42, () -> world.store.flush());
    burst(world, 1, 42.1, 25, 10);
    burst(world, 0, 43, 25, 10);
    return over(world, 75);
  }

  /** 0 was given all once, and takes that for the answer to a later call. */
  private static long usesEarlierAnswer(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    AtomicReference<Answer> earlier = new AtomicReference<>();
    if (run.lies()) {
      hears(
          world,
          0,
          each -> {
            if (earlier.get() == null && each.share() > 250) {
              earlier.set(each);
            }
            return earlier.get() == null ? each : earlier.get();
          });
    }
    burst(world, 0, 30, 30, 10);
    burst(world, 1, 41, 25, 10);
    burst(world, 0, 42, 30, 10);
    return over(world, 60);
  }

  private static long ignoresTarget(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    if (run.lies()) {
      hears(world, 1, ShareLiesTest::withoutTarget);
    }
    burst(world, 1, 30, 1_000, 10);
    burst(world, 0, 35, 1, 10);
    world.run(60);
    return 10 - world.oracle.sum(ID, 0, 35 * SECOND, 60 * SECOND);
  }

  private static Answer withoutTarget(Answer of) {
    return new Answer(
        of.id(),
        of.outcome(),
        of.known(),
        of.share(),
        Long.MAX_VALUE,
        false,
        of.free(),
        of.capacity(),
        of.rows());
  }

  /** While it is cut off it spends a little, so that it does not give its share up as idle. */
  private static long ignoresBurial(Run run) {
    ShareWorld world = world(run, true, trailing(), 2);
    if (run.lies()) {
      world
          .nodes
          .get(0)
          .falsify(
              UnaryOperator.identity(), reply -> new Reply(reply.answers(), living(reply.beat())));
    }
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

  private static BeatAnswer living(BeatAnswer of) {
    return new BeatAnswer(
        of.epoch(),
        of.count(),
        of.version(),
        of.settled(),
        of.uncertain(),
        of.listed(),
        false,
        of.peers(),
        of.wanted(),
        of.told(),
        of.toldUpTo(),
        of.complete());
  }

  private static long doesNotWait(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 30, 10);
    cut(world, 0, 31, 36);
    cut(world, 1, 31, 36);
    world.atSecond(31, () -> world.store.flush());
    world.atSecond(
        31,
        () -> {
          world.join(2, 0);
          if (run.lies()) {
            beats(world, 2, each -> beat(each, each.known(), true));
          }
        });
    burst(world, 2, 31.2, 30, 10);
    return over(world, 60);
  }

  /** 0 sleeps while its share is given to 1, and spends as soon as it is awake. */
  private static long countsNoSuspension(Run run) {
    ShareWorld world = world(run, false, trailing(), 2);
    burst(world, 0, 30, 25, 10);
    burst(world, 0, 38, 1, 1);
    world.atSecond(
        41,
        () -> {
          if (run.lies()) {
            world.nodes.get(0).suspend();
          } else {
            world.nodes.get(0).pause();
          }
        });
    burst(world, 1, 41.1, 25, 10);
    world.atSecond(61, () -> world.nodes.get(0).resume());
    burst(world, 0, 60.9, 25, 10);
    return over(world, 80);
  }
}
