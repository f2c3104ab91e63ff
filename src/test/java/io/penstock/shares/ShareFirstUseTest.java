package io.penstock.shares;

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
import org.junit.jupiter.params.provider.ValueSource;

/** Days of the program that begin with their first use, over two days and a half. */
class ShareFirstUseTest {
  private static final LimitId LIMIT = ShareWorld.limit("l0");
  private static final int RUNS = Integer.getInteger("penstock.shares.first-uses", 12);
  private static final long HOUR = 3_600;
  private static final long DAY = 24 * HOUR * SECOND;
  private static final double HOURS = 60;

  private static ShareWorld world(long seed) {
    ShareTerms times =
        new ShareTerms(80 * SECOND, 20 * SECOND, 5 * SECOND, SECOND, 100 * SECOND, true);
    Terms terms = new Terms(Kind.FIRST_USE, 300, DAY);
    return new ShareWorld(
        seed,
        new ShareWorld.Setting(
            times,
            Map.of(LIMIT, terms),
            SECOND / 10,
            0,
            0,
            SECOND,
            200 * SECOND,
            20,
            5 * SECOND,
            Set.of()),
        true);
  }

  private static void fault(ShareWorld world, String kind, double at, int which) {
    switch (kind) {
      case "kill" -> {
        world.atSecond(at, () -> world.nodes.get(which).crash());
        world.atSecond(at + HOUR, () -> world.join(which, 3));
      }
      case "leave" -> {
        world.atSecond(at, () -> world.nodes.get(which).leave());
        world.atSecond(at + HOUR, () -> world.join(which, 2));
      }
      case "flush" -> world.atSecond(at, () -> world.store.flush());
      case "away" -> {
        world.atSecond(at, world::storeGoes);
        world.atSecond(at + HOUR, () -> world.storeReturns(world.store));
      }
      default -> {}
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "kill", "leave", "flush", "away"})
  void daysThatBeginAtAnyInstance_areNeverOver_andAreUsed(String kind) {
    List<String> over = new ArrayList<>();
    long least = Long.MAX_VALUE;
    for (long seed = 0; seed < RUNS; seed++) {
      Random random = new Random(seed * 7919 + kind.hashCode());
      ShareWorld world = world(seed);
      double last = 0;
      for (int each = 0; each < 3; each++) {
        int index = each;
        int clients = each == 0 ? 3 : random.nextInt(3);
        // the first uses of an instance may come hours after those of another one
        last += 1 + random.nextInt(2) * 4.5 * HOUR * random.nextDouble();
        world.atSecond(last, () -> world.join(index, clients));
      }
      double at = (12 + 38 * random.nextDouble()) * HOUR;
      fault(world, kind, at, random.nextInt(3));
      world.run(HOURS * HOUR);
      ShareOracle.Worst worst = world.oracle.worst(world.setting.limits());
      if (worst.over() > 0) {
        over.add(
            "seed %d: over by %d after %.2f h, %s at %.2f h"
                .formatted(seed, worst.over(), worst.trueNanos() / 1e9 / HOUR, kind, at / HOUR));
      }
      least = Math.min(least, world.oracle.sum(LIMIT, 0, Long.MAX_VALUE));
    }
    System.out.printf("first use, %s: at least %d of 900 went%n", kind, least);
    assertThat(over).isEmpty();
    assertThat(least).isGreaterThan(600);
  }
}
