package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A strict rate of three instances, whose only unit goes round. */
class ShareStrictTest {
  private static final LimitId LIMIT = ShareWorld.limit("l0");
  private static final double FROM = 20;
  private static final double LATE_NANOS = 5.0 * MILLI;

  /** By how much clocks of instances are fast at most. */
  private static final double FASTEST = 300e-6;

  private static ShareWorld world(long aSecond, long latency) {
    ShareTerms times = new ShareTerms(12 * SECOND, SECOND, SECOND, 100 * MILLI, 12 * SECOND, true);
    long window = SECOND / aSecond;
    return new ShareWorld(
        1,
        new ShareWorld.Setting(
            times,
            Map.of(LIMIT, new Terms(Kind.STRICT, 1, window)),
            latency,
            0,
            0,
            SECOND,
            20 * MILLI,
            1,
            window / 50,
            Set.of()),
        true);
  }

  @ParameterizedTest
  @CsvSource({"10, 1, 20", "100, 1, 20", "100, 3, 20", "10, 1, 2", "100, 1, 2", "1000, 1, 20"})
  void strictRate_isUsedByAllInTurn_andReleasesAreApart(
      long aSecond, long latencyMillis, int clients) {
    ShareWorld world = world(aSecond, latencyMillis * MILLI);
    for (int each = 0; each < 3; each++) {
      world.join(each, clients);
    }
    double until = FROM + 60;
    world.run(until);
    double used = world.oracle.sum(LIMIT, from(FROM), from(until)) / (aSecond * (until - FROM));
    double fewest = 1;
    for (int each = 0; each < 3; each++) {
      double part = world.oracle.sum(LIMIT, each, from(FROM), from(until)) / (aSecond * 60.0);
      fewest = Math.min(fewest, part);
    }
    long window = SECOND / aSecond;
    double closest = (double) world.oracle.closestNanos() / window;
    System.out.printf(
        "%d a second over three, %d ms, %d clients each: used %.3f, fewest %.3f, closest %.3f of"
            + " the time between two, %.1f calls a second%n",
        aSecond,
        latencyMillis,
        clients,
        used,
        fewest,
        closest,
        (double) world.calls * SECOND / world.now());
    assertThat(used).isLessThan(1.001);
    double early = (double) window / RealLimit.EARLY_PARTS;
    // a release that is late leaves the next ones where they are, also with one instance
    double late = Math.max((double) window, LATE_NANOS) + (double) world.setting.lookNanos();
    assertThat(world.oracle.mostAbove(window * (1 - FASTEST))).isLessThan((early + late) / window);
    if (aSecond <= 100 && clients == 20) {
      assertThat(closest).isGreaterThan(1 - (early + world.setting.lookNanos()) / window - FASTEST);
      assertThat(used).isGreaterThan(0.95);
      assertThat(fewest).isGreaterThan(0.3);
    }
  }

  private static long from(double seconds) {
    return (long) (seconds * SECOND);
  }
}
