package io.penstock.slices;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.sharing.OutagePolicy;
import io.penstock.simulator.ProgressTable;
import io.penstock.simulator.SimWindows;
import io.penstock.slices.SliceSchedule.Fault;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests schedules with several simultaneous faults, drawn from seeds. */
class SliceScheduleTest {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");
  private static final int SCHEDULES =
      DEEP ? 100_000 : Math.min(10_000, Integer.getInteger("penstock.sim.seeds", 100));

  /** Schedules with fewer released requests than this prove nothing. */
  private static final int TRIVIAL = 20;

  /** Schedules with a loss that no remaining member could know or report. */
  private static final class Excepted {
    private final String why;
    private int drawn;
    private int over;
    private long worst;
    private long bound;

    Excepted(String why) {
      this.why = why;
    }

    void add(SliceSchedule sliceSchedule) {
      drawn++;
      over += sliceSchedule.over() > 0 ? 1 : 0;
      if (sliceSchedule.over() > worst) {
        worst = sliceSchedule.over();
        bound = sliceSchedule.bound();
      }
    }

    @Override
    public String toString() {
      return "%,d %s: %,d over, the worst by %,d where %,d were granted and lost"
          .formatted(drawn, why, over, worst, bound);
    }
  }

  private final Excepted unknown = new Excepted("with a loss that nobody left knew of");
  private final Excepted unnoticed = new Excepted("with older data put back in a running store");

  private final ProgressTable table = new ProgressTable();
  private final Map<Fault, Integer> drawn = new EnumMap<>(Fault.class);
  private final Map<Long, String> over = new LinkedHashMap<>();

  /** Used shares of the limit, by its kind. */
  private final Map<String, List<Double>> used = new TreeMap<>();

  private final List<String> idle = new ArrayList<>();
  private long events;
  private int trivial;

  @Test
  void anySchedule_neverLetsMorePassThanTheLimit() {
    Ticker clock = Ticker.system();
    long base = Long.getLong("penstock.sim.seed", 1);
    for (long seed = base; seed < base + SCHEDULES; seed++) {
      look(seed, run(seed));
    }
    report(clock.nanos());
    assertThat(over).as("by how much, by penstock.sim.seed").isEmpty();
    assertThat(idle).as("work that is not done, by penstock.sim.seed").isEmpty();
    if (SCHEDULES >= 100) {
      assertThat(trivial).as("schedules that tell nothing").isLessThanOrEqualTo(SCHEDULES / 10);
      assertUsed();
      assertThat(drawn).as("what went wrong").containsOnlyKeys(Fault.values());
    }
  }

  private static SliceSchedule run(long seed) {
    try {
      return SliceSchedule.of(seed);
    } catch (AssertionError failure) {
      throw new AssertionError("replay with -Dpenstock.sim.seed=" + seed, failure);
    }
  }

  /**
   * Expected use of limits of a kind after recovery.
   *
   * @param median lower bound for the median of the shares of all schedules
   * @param usual share that hardly any schedule falls below. Members return a part of what they
   *     took, half of it on average, up to seconds later: an amount that returns after its window
   *     has ended is lost to a fixed window, and a full bucket takes nothing back.
   */
  private record Expected(double median, double usual) {
    /**
     * One of this many schedules of a kind may use less than usual; with fewer schedules, none may.
     */
    static final int RARE = 300;

    static Expected of(String kind) {
      return switch (kind) {
        case "Concurrency", "Strict" -> new Expected(0.99, 0.75);
        case "Day" -> new Expected(0.98, 0.75);
        case "FixedWindow" -> new Expected(0.83, 0.5);
        case "TokenBucket" -> new Expected(0.6, 0.4);
        default -> new Expected(0.92, 0.75);
      };
    }
  }

  private static String kind(LimitSpec spec) {
    return spec.getClass().getSimpleName();
  }

  private void assertUsed() {
    used.forEach(
        (kind, shares) -> {
          Expected expected = Expected.of(kind);
          shares.sort(null);
          long less = shares.stream().filter(share -> share < expected.usual()).count();
          assertThat(less)
              .as("schedules that use less than %s of %s: %s", expected.usual(), kind, shares)
              .isLessThanOrEqualTo(shares.size() / Expected.RARE);
          assertThat(shares.get(shares.size() / 2))
              .as("used of %s", kind)
              .isGreaterThanOrEqualTo(expected.median());
        });
  }

  /**
   * Checks the progress. After a loss, nothing is granted in a window that began before; that is
   * not judged.
   */
  private void assertProgress(long seed, LimitSpec spec, ScheduleProgress progress) {
    if (progress.fault() != null) {
      idle.add("%d: %s of %s".formatted(seed, progress.fault(), spec));
    }
    Double share = progress.used();
    if (share != null) {
      used.computeIfAbsent(kind(spec), absent -> new ArrayList<>()).add(share);
    }
    long silence = progress.longestSilence();
    boolean renews = share != null && !(spec instanceof LimitSpec.Day) && !progress.owesForLong();
    if (renews && silence > SimWindows.length(spec) + SliceWorld.SECOND) {
      idle.add("%d: %d ns without a release of %s".formatted(seed, silence, spec));
    }
  }

  private void report(long nanos) {
    System.out.printf(
        "%,d schedules, %d trivial, %,d events, %,.0f events/s, with %s%n%s%n%s%n%,d over"
            + " elsewhere%n%s",
        SCHEDULES,
        trivial,
        events,
        events * 1e9 / nanos,
        drawn,
        unknown,
        unnoticed,
        over.size(),
        table);
  }

  private void look(long seed, SliceSchedule sliceSchedule) {
    SliceWorld sliceWorld = sliceSchedule.world();
    ScheduleProgress progress = sliceSchedule.progress();
    sliceSchedule.faults().forEach(fault -> drawn.merge(fault, 1, Integer::sum));
    events += sliceWorld.clock.events();
    trivial += sliceWorld.releases.size() < TRIVIAL ? 1 : 0;
    assertProgress(seed, sliceWorld.spec, progress);
    table.add(
        kind(sliceWorld.spec) + " " + sliceWorld.onOutage,
        !sliceWorld.releases.isEmpty(),
        progress.used(),
        progress.longestSilence());
    if (sliceWorld.onOutage == OutagePolicy.ALLOW || sliceWorld.onOutage == OutagePolicy.SHARE) {
      return; // more than the limit may pass
    }
    if (sliceSchedule.over() > sliceSchedule.bound()) {
      over.put(seed, sliceSchedule.over() + " of " + sliceWorld.spec + sliceSchedule.faults());
    } else if (sliceWorld.store.losses().unknown(SliceWorld.ID) > 0) {
      unknown.add(sliceSchedule);
    } else if (sliceWorld.store.losses().unnoticed(SliceWorld.ID) > 0) {
      unnoticed.add(sliceSchedule);
    }
  }
}
