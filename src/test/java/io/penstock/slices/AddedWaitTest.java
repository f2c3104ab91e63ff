package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.simulator.SimRelease;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how much longer requests wait than at a single limit that sees all of them. */
class AddedWaitTest {
  private static final long FROM = START + 10 * SECOND;
  private static final long UNTIL = START + 70 * SECOND;

  private record Arrival(long at, int node, long amount) {}

  private static LimitSpec spec(boolean fixed) {
    return fixed
        ? new LimitSpec.FixedWindow(30_000, 10 * SECOND)
        : new LimitSpec.TrailingWindow(36_000, 12 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  /**
   * Returns requests of 1 to 19 tokens, at four fifths of 3,000 a second; the first member gets the
   * share {@code first} of them.
   */
  private static List<Arrival> arrivals(int members, double first) {
    Random random = new Random(members);
    List<Arrival> arrivals = new ArrayList<>();
    double at = FROM;
    while (at < UNTIL) {
      at += -Math.log(1 - random.nextDouble()) * SECOND / 240;
      int node = random.nextDouble() < first ? 0 : 1 + random.nextInt(members - 1);
      arrivals.add(new Arrival((long) at, node, 1 + random.nextLong(19)));
    }
    return arrivals;
  }

  /** Returns the waits in a single queue for all requests. */
  private static long[] ideal(LimitSpec spec, List<Arrival> arrivals) {
    Limit limit = new Limit(spec, START);
    long[] waits = new long[arrivals.size()];
    long now = 0;
    for (int each = 0; each < waits.length; each++) {
      Arrival arrival = arrivals.get(each);
      now = Math.max(now, arrival.at());
      while (limit.take(Weight.exactly(arrival.amount()), now) instanceof LimitAnswer.Wait wait) {
        now = wait.untilNanos();
      }
      waits[each] = now - arrival.at();
    }
    return waits;
  }

  private static long[] shared(LimitSpec spec, List<Arrival> arrivals, int members) {
    SliceWorld world = new SliceWorld(members, spec);
    List<List<Integer>> lines = new ArrayList<>();
    for (int each = 0; each < members; each++) {
      world.join();
      lines.add(new ArrayList<>());
    }
    for (int each = 0; each < arrivals.size(); each++) {
      Arrival arrival = arrivals.get(each);
      lines.get(arrival.node()).add(each);
      world.at(arrival.at(), () -> world.nodes.get(arrival.node()).arrive(arrival.amount()));
    }
    world.run(UNTIL + 30 * SECOND);
    long[] waits = new long[arrivals.size()];
    int[] gone = new int[members];
    for (SimRelease release : world.releases) {
      int node = world.nodes.stream().map(SliceNode::name).toList().indexOf(release.by);
      int arrival = lines.get(node).get(gone[node]++);
      waits[arrival] = release.at - arrivals.get(arrival).at();
    }
    assertThat(world.releases).hasSameSizeAs(arrivals);
    return waits;
  }

  @ParameterizedTest
  @CsvSource({
    "3, 0.33, true", "10, 0.1, true", "3, 0.9, true",
    "3, 0.33, false", "10, 0.1, false", "10, 0.9, false"
  })
  void atFourFifthsOfTheLimit_isHardlyLonger(int members, double first, boolean fixed) {
    List<Arrival> arrivals = arrivals(members, first);
    long[] ideal = ideal(spec(fixed), arrivals);
    long[] added = shared(spec(fixed), arrivals, members);
    for (int each = 0; each < added.length; each++) {
      added[each] -= ideal[each];
    }
    Arrays.sort(added);
    double mean = Arrays.stream(added).average().orElseThrow() / MILLI;
    double p99 = (double) added[added.length * 99 / 100] / MILLI;
    String figures =
        "%d members, %.0f %% at one, %s: mean %.2f ms, p99 %.1f ms"
            .formatted(members, 100 * first, fixed ? "fixed" : "trailing", mean, p99);
    if (Boolean.getBoolean("penstock.deep")) {
      System.out.println(figures);
    }
    assertThat(mean).as(figures).isLessThanOrEqualTo(10);
    assertThat(p99).as(figures).isLessThanOrEqualTo(50);
  }
}
