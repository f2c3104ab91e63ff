package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.PACE;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.START;
import static io.penstock.sync.World.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.sim.SimRelease;
import io.penstock.sim.SimWindows;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that limits of all kinds are used up while there is demand: within a stated time after the
 * start, and after each way in which the store may lose data.
 */
class LivenessTest {
  private static final int MEMBERS = 3;

  /** Share of a limit that must be used; the rest may lie unused in slices of some member. */
  private static final double SHARE = 0.9;

  /** Longest time until the next round: an interval and a fifth of it. */
  private static final long ROUND = PACE.intervalNanos() * 6 / 5 + 10 * MILLI;

  /**
   * Time until a new member is granted slices. It takes none while slices granted before may live.
   * It learns of the others with its first round, and asks with the one after that time.
   */
  private static final long JOINED = TTL + 2 * ROUND;

  /**
   * Time until members are granted slices after a loss. A member hears of the loss with its next
   * round, at the latest that of a heartbeat. Then it takes no slices while slices granted before
   * may live, and until each of the others was heard twice, which takes two rounds; it asks with
   * the next one. A limit that is lost alone is asked for in each round while a ticket waits for
   * it, so it takes no longer.
   */
  private static final long RECOVERED = PACE.heartbeatNanos() + ROUND + TTL + 3 * ROUND;

  /** Longest window of all kinds except the days; within that time all of it is asked for. */
  private static final long WINDOW = 12 * SECOND;

  private static final long LOST = START + 13 * SECOND;

  /** Ways in which the store may lose data. */
  enum Loss {
    OF_ALL,
    OF_ALL_IN_A_RESTART,
    OF_THE_LAST_SECONDS,
    OF_THE_LAST_SECONDS_IN_A_RESTART,
    OF_THE_LIMIT_ALONE;

    void happen(World world) {
      long before = world.now() - 5 * SECOND;
      switch (this) {
        case OF_ALL -> world.store.flush(false);
        case OF_ALL_IN_A_RESTART -> world.store.flush(true);
        case OF_THE_LAST_SECONDS -> world.store.rollback(before, false);
        case OF_THE_LAST_SECONDS_IN_A_RESTART -> world.store.rollback(before, true);
        case OF_THE_LIMIT_ALONE -> world.store.lose(World.ID);
      }
    }
  }

  record Case(LimitSpec spec, Loss loss) {}

  static List<LimitSpec> kinds() {
    return Kinds.ALL;
  }

  static Stream<Case> losses() {
    return Kinds.ALL.stream()
        .flatMap(spec -> Stream.of(Loss.values()).map(loss -> new Case(spec, loss)));
  }

  private static World world(LimitSpec spec) {
    World world = new World(1, spec);
    for (int each = 0; each < MEMBERS; each++) {
      world.join();
    }
    return world;
  }

  /**
   * Gives each member more demand than all may use, and fails unless the stated share of the limit
   * is used at most {@code soon} plus one window later.
   */
  private static void assertUsed(World world, long soon) {
    long from = world.now();
    long until = from + soon + WINDOW;
    long largest = Math.min(3, Kinds.largest(world.spec));
    for (Node node : world.nodes) {
      RoundsTest.offer(world, node, SECOND / 100, largest, until);
    }
    world.run(until);
    List<SimRelease> releases = world.releases.stream().filter(each -> each.at >= from).toList();
    if (world.spec instanceof LimitSpec.Strict strict) {
      double slots = (double) WINDOW / strict.rate().intervalNanos();
      assertThat(releases.size() / slots).isGreaterThanOrEqualTo(SHARE);
    } else {
      double capacity = SimWindows.capacity(world.spec, world.wayNanos());
      assertThat(SimWindows.most(world.spec, releases, 0) / capacity).isGreaterThanOrEqualTo(SHARE);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void demandAfterTheStart_usesTheLimitOnceMembersHaveJoined(LimitSpec spec) {
    assertUsed(world(spec), JOINED);
  }

  @ParameterizedTest
  @MethodSource("losses")
  void demandAfterALoss_usesTheLimitOnceWhatWasSpentIsKnownAgain(Case lost) {
    World world = world(lost.spec());
    world.at(START + 11 * SECOND, () -> world.nodes.getFirst().arrive(1));
    world.at(LOST, () -> lost.loss().happen(world));
    world.run(LOST);
    assertThat(world.releases).hasSize(1);
    assertUsed(world, RECOVERED);
  }
}
