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

  @Test
  void anySchedule_neverLetsMorePassThanTheLimit() {
    long base = Long.getLong("penstock.sim.seed", 1);
    Map<Fault, Integer> drawn = new EnumMap<>(Fault.class);
    Map<Long, String> over = new LinkedHashMap<>();
    for (long seed = base; seed < base + SCHEDULES; seed++) {
      Schedule schedule = Schedule.of(seed);
      schedule.faults().forEach(fault -> drawn.merge(fault, 1, Integer::sum));
      if (schedule.over() > 0) {
        over.put(seed, schedule.over() + " of " + schedule.world().spec + schedule.faults());
      }
    }
    if (DEEP) {
      System.out.printf("%,d schedules, %d over; with %s%n", SCHEDULES, over.size(), drawn);
    }
    assertThat(over).as("by how much, by penstock.sim.seed").isEmpty();
    if (SCHEDULES >= 100) {
      assertThat(drawn).as("what went wrong").containsOnlyKeys(Fault.values());
    }
  }
}
