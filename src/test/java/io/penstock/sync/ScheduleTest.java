package io.penstock.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.sim.ProgressTable;
import io.penstock.sim.SimWindows;
import io.penstock.sync.Schedule.Fault;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Schedules in which several things go wrong at once, drawn from seeds. */
class ScheduleTest {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");
  private static final int SCHEDULES =
      DEEP ? 100_000 : Math.min(10_000, Integer.getInteger("penstock.sim.seeds", 500));

  /** Schedules that release fewer requests than this tell nothing. */
  private static final int TRIVIAL = 20;

  /** Schedules in which something is lost that nobody who is left could know, or tell. */
  private static final class Excepted {
    private final String why;
    private int drawn;
    private int over;
    private long worst;
    private long bound;

    Excepted(String why) {
      this.why = why;
    }

    void add(Schedule schedule) {
      drawn++;
      over += schedule.over() > 0 ? 1 : 0;
      if (schedule.over() > worst) {
        worst = schedule.over();
        bound = schedule.bound();
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
      assertThat(drawn).as("what went wrong").containsOnlyKeys(Fault.values());
    }
  }

  private static Schedule run(long seed) {
    try {
      return Schedule.of(seed);
    } catch (AssertionError failure) {
      throw new AssertionError("replay with -Dpenstock.sim.seed=" + seed, failure);
    }
  }

  /**
   * The least share that is used once all is well, by kind of limit. Members give a part of what
   * they took back, half of it on average, up to seconds later: what comes back after its window
   * has ended is lost to a fixed window, and a bucket that is full takes nothing back.
   */
  private static double leastUsed(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> 0.5;
      case LimitSpec.TokenBucket bucket -> 0.4;
      default -> 0.75;
    };
  }

  /** After a loss nothing is granted of a window that began before: that is not judged. */
  private void assertProgress(long seed, LimitSpec spec, ScheduleProgress progress) {
    if (progress.fault() != null) {
      idle.add("%d: %s of %s".formatted(seed, progress.fault(), spec));
    }
    Double used = progress.used();
    if (used != null && used < leastUsed(spec)) {
      idle.add("%d: %.2f of %s is used".formatted(seed, used, spec));
    }
    long silence = progress.longestSilence();
    boolean renews = used != null && !(spec instanceof LimitSpec.Day);
    if (renews && silence > SimWindows.length(spec) + World.SECOND) {
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

  private void look(long seed, Schedule schedule) {
    World world = schedule.world();
    ScheduleProgress progress = schedule.progress();
    schedule.faults().forEach(fault -> drawn.merge(fault, 1, Integer::sum));
    events += world.clock.events();
    trivial += world.releases.size() < TRIVIAL ? 1 : 0;
    assertProgress(seed, world.spec, progress);
    table.add(
        world.spec.getClass().getSimpleName() + " " + world.onOutage,
        !world.releases.isEmpty(),
        progress.used(),
        progress.longestSilence());
    if (world.onOutage == OnOutage.ALLOW || world.onOutage == OnOutage.SHARE) {
      return; // more than the limit may pass
    }
    if (schedule.over() > schedule.bound()) {
      over.put(seed, schedule.over() + " of " + world.spec + schedule.faults());
    } else if (world.store.losses().unknown(World.ID) > 0) {
      unknown.add(schedule);
    } else if (world.store.losses().unnoticed(World.ID) > 0) {
      unnoticed.add(schedule);
    }
  }
}
