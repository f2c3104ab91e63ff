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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits with demand stay used: with the store, and while it is away. */
class ShareProgressTest {
  private static final LimitId LIMIT = ShareWorld.limit("l0");
  private static final List<Integer> EVEN = List.of(20, 20, 20);
  private static final List<Integer> UNEVEN = List.of(54, 3, 3);

  private static ShareWorld world(long seed, Terms terms, boolean continues, long answerNanos) {
    ShareTerms times =
        new ShareTerms(12 * SECOND, SECOND, SECOND, 100 * MILLI, 12 * SECOND, continues);
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
            look(terms),
            Set.of()));
  }

  private static long look(Terms terms) {
    long fine = Math.clamp(terms.windowNanos() / 50, MILLI / 5, 20 * MILLI);
    return terms.kind() == Kind.DAY ? SECOND : fine;
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

  /** The instance that has the only unit keeps it, unless it is just handing the unit over. */
  @Test
  void storeIsAway_theOnlyUnitMostlyStaysInUse() {
    int stays = 0;
    for (long seed = 1; seed <= 20; seed++) {
      ShareWorld world = world(seed, new Terms(Kind.TRAILING, 1, 100 * MILLI), true, MILLI);
      join(world, List.of(5, 5, 5));
      double goes = 30 + 0.13 * (double) seed;
      world.atSecond(goes, world::storeGoes);
      world.run(goes + 30);
      stays += used(world, goes, goes + 30) > 0.9 ? 1 : 0;
      assertThat(world.oracle.worst(world.setting.limits()).over()).isLessThanOrEqualTo(0);
    }
    System.out.printf("the only unit stays in use in %d of 20 outages%n", stays);
    assertThat(stays).isGreaterThanOrEqualTo(16);
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

  @Test
  void dayWithTenKillsAndTenDeploys_nineTenthsAreUsed() {
    Terms terms = new Terms(Kind.DAY, 1_000_000, 86_400 * SECOND);
    ShareWorld world = world(5, terms, true, 1_000 * SECOND);
    join(world, List.of(5, 5, 5));
    double begins = 86_400 - 1_000; // the wall clock begins at second 1,000
    for (int i = 0; i < 20; i++) {
      boolean deploy = i % 2 == 0;
      int which = i % 3;
      double at = begins + 3_000 + i * 4_000;
      world.atSecond(
          at,
          () -> {
            if (deploy) {
              world.nodes.get(which).leave();
            } else {
              world.nodes.get(which).crash();
            }
          });
      world.atSecond(at + 30, () -> world.join(which, 5));
    }
    world.run(begins + 86_400);
    double used = used(world, begins, begins + 86_400);
    System.out.printf(
        "day with ten kills and ten deploys: used %.3f, over %d%n",
        used, world.oracle.worst(world.setting.limits()).over());
    assertThat(world.oracle.worst(world.setting.limits()).over()).isLessThanOrEqualTo(0);
    assertThat(used).isGreaterThan(0.9);
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void oneIsCutOffForTenMinutes_overByItsShareAtMost(boolean continues) {
    ShareWorld world =
        world(7, new Terms(Kind.TRAILING, 60_000, 60 * SECOND), continues, 200 * MILLI);
    join(world, EVEN);
    long[] share = new long[1];
    world.atSecond(179.9, () -> share[0] = world.oracle.sum(LIMIT, 0, 120 * SECOND, 180 * SECOND));
    world.atSecond(180, () -> world.nodes.get(0).cut(true));
    world.atSecond(780, () -> world.nodes.get(0).cut(false));
    world.run(900);
    long over = world.oracle.worst(world.setting.limits()).over();
    System.out.printf(
        "one cut off for 10 min, continues %s: over %d, share about %d, used during %.3f%n",
        continues, over, share[0], used(world, 180, 780));
    assertThat(over).isLessThanOrEqualTo(continues ? share[0] * 21 / 20 : 0);
  }
}
