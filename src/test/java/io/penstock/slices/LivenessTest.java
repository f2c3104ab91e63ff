package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.PACE;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.START;
import static io.penstock.slices.SliceWorld.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.simulator.SimRelease;
import io.penstock.simulator.SimWindows;
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

    void happen(SliceWorld sliceWorld) {
      long before = sliceWorld.now() - 5 * SECOND;
      switch (this) {
        case OF_ALL -> sliceWorld.store.flush(false);
        case OF_ALL_IN_A_RESTART -> sliceWorld.store.flush(true);
        case OF_THE_LAST_SECONDS -> sliceWorld.store.rollback(before, false);
        case OF_THE_LAST_SECONDS_IN_A_RESTART -> sliceWorld.store.rollback(before, true);
        case OF_THE_LIMIT_ALONE -> sliceWorld.store.lose(SliceWorld.ID);
      }
    }
  }

  record Case(LimitSpec spec, Loss loss) {}

  static List<LimitSpec> kinds() {
    return LimitKinds.ALL;
  }

  static Stream<Case> losses() {
    return LimitKinds.ALL.stream()
        .flatMap(spec -> Stream.of(Loss.values()).map(loss -> new Case(spec, loss)));
  }

  private static SliceWorld world(LimitSpec spec) {
    SliceWorld sliceWorld = new SliceWorld(1, spec);
    for (int each = 0; each < MEMBERS; each++) {
      sliceWorld.join();
    }
    return sliceWorld;
  }

  /**
   * Gives each member more demand than all may use, and fails unless the stated share of the limit
   * is used at most {@code soon} plus one window later.
   */
  private static void assertUsed(SliceWorld sliceWorld, long soon) {
    long from = sliceWorld.now();
    long until = from + soon + WINDOW;
    long largest = Math.min(3, LimitKinds.largest(sliceWorld.spec));
    for (SliceNode node : sliceWorld.nodes) {
      SliceSyncTest.offer(sliceWorld, node, SECOND / 100, largest, until);
    }
    sliceWorld.run(until);
    List<SimRelease> releases =
        sliceWorld.releases.stream().filter(each -> each.at >= from).toList();
    if (sliceWorld.spec instanceof LimitSpec.Strict strict) {
      double slots = (double) WINDOW / strict.rate().intervalNanos();
      assertThat(releases.size() / slots).isGreaterThanOrEqualTo(SHARE);
    } else {
      double capacity = SimWindows.capacity(sliceWorld.spec, sliceWorld.wayNanos());
      assertThat(SimWindows.most(sliceWorld.spec, releases, 0) / capacity)
          .isGreaterThanOrEqualTo(SHARE);
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
    SliceWorld sliceWorld = world(lost.spec());
    sliceWorld.at(START + 11 * SECOND, () -> sliceWorld.nodes.getFirst().arrive(1));
    sliceWorld.at(LOST, () -> lost.loss().happen(sliceWorld));
    sliceWorld.run(LOST);
    assertThat(sliceWorld.releases).hasSize(1);
    assertUsed(sliceWorld, RECOVERED);
  }
}
