package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits with demand stay used: with the store, and while it is away. */
class ShareProgressTest {
  private static final LimitId LIMIT = ShareWorld.limit("l0");
  private static final List<Integer> EVEN = List.of(20, 20, 20);
  private static final List<Integer> UNEVEN = List.of(54, 3, 3);

  private static ShareWorld world(long seed, Terms terms, boolean continues, long answerNanos) {
    ShareTerms times =
        new ShareTerms(12 * SECOND, SECOND, SECOND, 100 * MILLI, 12 * SECOND, SECOND, continues);
    return new ShareWorld(
        seed,
        new ShareWorld.Setting(
            times,
            Map.of(LIMIT, terms),
            MILLI,
            0,
            0,
            SECOND,
            answerNanos,
            400,
            Math.clamp(terms.windowNanos() / 50, MILLI / 5, 20 * MILLI),
            Set.of()));
  }

  private static void join(ShareWorld world, List<Integer> clients) {
    for (int i = 0; i < clients.size(); i++) {
      world.join(i, clients.get(i));
    }
  }

  private static double used(ShareWorld world, double from, double to) {
    Terms terms = world.setting.limits().get(LIMIT);
    double most = (to - from) * SECOND / terms.windowNanos() * terms.capacity();
    return world.oracle.sum(LIMIT, (long) (from * SECOND), (long) (to * SECOND)) / most;
  }

  @ParameterizedTest
  @CsvSource({"true, 60, data", "true, 180, empty", "false, 60, empty", "false, 180, data"})
  void storeIsAway_whatIsHeldIsServed(boolean even, int seconds, String how) {
    ShareWorld world = world(1, new Terms(Kind.TRAILING, 60_000, 60 * SECOND), true, 200 * MILLI);
    join(world, even ? EVEN : UNEVEN);
    world.atSecond(180, world::storeGoes);
    world.atSecond(
        180 + seconds, () -> world.storeReturns(how.equals("data") ? world.store : world.empty()));
    world.run(180 + seconds + 130);
    double before = used(world, 120, 180);
    double during = used(world, 180, 180 + seconds);
    double after = used(world, 180 + seconds, 180 + seconds + 60);
    System.out.printf(
        "%s %d s %s: before %.3f during %.3f after %.3f, %.1f messages and %.1f calls a second,"
            + " over %d%n",
        even,
        seconds,
        how,
        before,
        during,
        after,
        (double) world.messages * SECOND / world.now(),
        (double) world.calls * SECOND / world.now(),
        world.oracle.worst(world.setting.limits()).over());
    assertThat(world.oracle.worst(world.setting.limits()).over()).isLessThanOrEqualTo(0);
  }

  @ParameterizedTest
  @CsvSource({"3, 60", "10, 60", "60, 60", "1, 0.01", "1, 0.1"})
  void smallLimitOfFiveInstances_isUsedByAllInTurn(int amount, double seconds) {
    Terms terms = new Terms(Kind.TRAILING, amount, (long) (seconds * SECOND));
    ShareWorld world = world(3, terms, true, 20 * MILLI);
    join(world, List.of(4, 4, 4, 4, 4));
    double three = Math.max(3, 3 * seconds);
    double until = 60 + 10 * three;
    world.run(until);
    long fewest = Long.MAX_VALUE;
    for (double from = 60; from + three <= until; from += three) {
      for (int each = 0; each < 5; each++) {
        fewest =
            Math.min(
                fewest,
                world.oracle.sum(
                    LIMIT, each, (long) (from * SECOND), (long) ((from + three) * SECOND)));
      }
    }
    System.out.printf(
        "%d a %s s over five: used %.3f, fewest in three windows %d, %.1f calls a second, over"
            + " %d%n",
        amount,
        seconds,
        used(world, 60, until),
        fewest,
        (double) world.calls * SECOND / world.now(),
        world.oracle.worst(world.setting.limits()).over());
    assertThat(world.oracle.worst(world.setting.limits()).over()).isLessThanOrEqualTo(0);
  }
}
