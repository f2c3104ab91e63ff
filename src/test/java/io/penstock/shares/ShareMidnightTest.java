package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Days and months of the program around a midnight, by wall clocks that differ. */
class ShareMidnightTest {
  private static final LimitId LIMIT = ShareWorld.limit("l0");
  private static final int RUNS = Integer.getInteger("penstock.shares.midnights", 40);
  private static final double BEFORE = 40;
  private static final double AFTER = 60;
  private static final int DAY_SECONDS = 86_400;

  /** Wall clocks begin so long after the origin. */
  private static final int BEGAN_SECONDS = 1_000;

  private static ShareWorld world(long seed, Random random, int days) {
    ShareTerms times =
        new ShareTerms(
            4 * SECOND, 500 * MILLI, SECOND, 100 * MILLI, 7 * SECOND, random.nextBoolean());
    long[] capacities = {20, 300, 5_000};
    long capacity = capacities[random.nextInt(capacities.length)];
    Terms terms = new Terms(Kind.DAY, capacity, (long) days * DAY_SECONDS * SECOND);
    return new ShareWorld(
        seed,
        new ShareWorld.Setting(
            times,
            Map.of(LIMIT, terms),
            (1 + random.nextInt(30)) * MILLI,
            0,
            0,
            SECOND,
            50 * MILLI,
            20,
            10 * MILLI,
            Set.of()),
        true);
  }

  private static void fault(ShareWorld world, String kind, double at, double lasts, int which) {
    switch (kind) {
      case "kill" -> {
        world.atSecond(at, () -> world.nodes.get(which).crash());
        world.atSecond(at + lasts, () -> world.join(which, 6));
      }
      case "leave" -> {
        world.atSecond(at, () -> world.nodes.get(which).leave());
        world.atSecond(at + lasts, () -> world.join(which, 6));
      }
      case "flush" -> world.atSecond(at, () -> world.store.flush());
      case "pause" -> {
        world.atSecond(at, () -> world.nodes.get(which).pause());
        world.atSecond(at + lasts, () -> world.nodes.get(which).resume());
      }
      case "away" -> {
        world.atSecond(at, world::storeGoes);
        world.atSecond(at + lasts, () -> world.storeReturns(world.store));
      }
      default -> {}
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, none",
    "1, kill",
    "1, leave",
    "1, flush",
    "1, pause",
    "1, away",
    "31, none",
    "31, kill",
    "31, flush",
    "31, away"
  })
  void midnight_noDayIsOver_andTheNewOneIsUsed(int days, String kind) {
    List<String> over = new ArrayList<>();
    double least = 1;
    for (long seed = 0; seed < RUNS; seed++) {
      Random random = new Random(seed * 7919 + kind.hashCode() + days);
      ShareWorld world = world(seed, random, days);
      double midnight = (double) days * DAY_SECONDS - BEGAN_SECONDS;
      int[] clients = {2 + random.nextInt(8), random.nextInt(4), random.nextInt(4)};
      for (int each = 0; each < 3; each++) {
        int index = each;
        world.atSecond(midnight - BEFORE + each, () -> world.join(index, clients[index]));
      }
      double at = midnight - 6 + 10 * random.nextDouble();
      fault(world, kind, at, 0.3 + 8 * random.nextDouble(), random.nextInt(3));
      world.run(midnight + AFTER);
      ShareOracle.Worst worst = world.oracle.worst(world.setting.limits());
      if (worst.over() > 0) {
        over.add(
            "seed %d: %s over by %d, %.3f s after midnight, %s at %.2f s"
                .formatted(
                    seed,
                    world.setting.limits().get(LIMIT),
                    worst.over(),
                    worst.trueNanos() / 1e9 - midnight,
                    kind,
                    at - midnight));
      }
      least = Math.min(least, used(world, midnight));
    }
    System.out.printf("%d days, %s: least used %.3f%n", days, kind, least);
    assertThat(over).isEmpty();
    assertThat(least).isGreaterThan(0.85);
  }

  /** Returns the used part of the day that began. */
  private static double used(ShareWorld world, double midnight) {
    long from = (long) ((midnight - 0.5) * SECOND);
    long capacity = world.setting.limits().get(LIMIT).capacity();
    return (double) world.oracle.sum(LIMIT, from, Long.MAX_VALUE) / capacity;
  }
}
