package io.penstock.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sync.Schedule.Fault;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Schedules in which several things go wrong at once, drawn from seeds. */
class ScheduleTest {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");
  private static final int SCHEDULES =
      DEEP ? 100_000 : Math.min(5_000, Integer.getInteger("penstock.sim.seeds", 500));

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

  private final Map<Fault, Integer> drawn = new EnumMap<>(Fault.class);
  private final Map<Long, String> over = new LinkedHashMap<>();

  @Test
  void anySchedule_neverLetsMorePassThanTheLimit() {
    long base = Long.getLong("penstock.sim.seed", 1);
    for (long seed = base; seed < base + SCHEDULES; seed++) {
      look(seed, Schedule.of(seed));
    }
    if (DEEP) {
      System.out.printf(
          "%,d schedules, with %s%n%s%n%s%n%,d over elsewhere%n",
          SCHEDULES, drawn, unknown, unnoticed, over.size());
    }
    assertThat(over).as("by how much, by penstock.sim.seed").isEmpty();
    if (SCHEDULES >= 100) {
      assertThat(drawn).as("what went wrong").containsOnlyKeys(Fault.values());
    }
  }

  private void look(long seed, Schedule schedule) {
    schedule.faults().forEach(fault -> drawn.merge(fault, 1, Integer::sum));
    if (schedule.over() > schedule.bound()) {
      over.put(seed, schedule.over() + " of " + schedule.world().spec + schedule.faults());
    } else if (schedule.world().store.losses().unknown(World.ID) > 0) {
      unknown.add(schedule);
    } else if (schedule.world().store.losses().unnoticed(World.ID) > 0) {
      unnoticed.add(schedule);
    }
  }
}
