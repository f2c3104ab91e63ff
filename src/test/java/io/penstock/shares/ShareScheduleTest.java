package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random faults: no limit is ever exceeded. */
class ShareScheduleTest {
  private static final int SCHEDULES = Integer.getInteger("penstock.shares.schedules", 200);
  private static final long FIRST = Long.getLong("penstock.shares.first", 0);

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void randomFaults_nothingIsEverOver(boolean continues, boolean real) {
    List<String> over = new ArrayList<>();
    long releases = 0;
    long late = 0;
    for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
      ShareSchedule schedule = new ShareSchedule(seed, Set.of(), continues, real);
      ShareOracle.Worst worst = schedule.run();
      releases += schedule.world.oracle.count();
      late += schedule.world.calls;
      if (worst.over() > 0) {
        over.add(
            "seed %d: %s over by %d at %.2f s, %s%n%s"
                .formatted(
                    seed,
                    schedule.world.setting.limits().get(worst.id()),
                    worst.over(),
                    worst.trueNanos() / 1e9,
                    worst.id(),
                    schedule.faults));
      }
    }
    System.out.printf("%d schedules, %d releases, %d calls%n", SCHEDULES, releases, late);
    assertThat(over).isEmpty();
    assertThat(releases).isPositive();
  }

  /** An instance that is gone may have spent more than it told; but nothing more is over then. */
  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void randomFaults_whoStoppedIsReleased_nothingIsOverAfterThat(boolean continues, boolean real) {
    List<String> over = new ArrayList<>();
    int released = 0;
    int schedules = SCHEDULES / 4;
    for (long seed = FIRST; seed < FIRST + schedules; seed++) {
      ShareSchedule schedule = new ShareSchedule(seed, Set.of(), continues, real);
      schedule.release(seed, 35);
      schedule.run();
      released += schedule.releases;
      ShareOracle.Worst worst =
          schedule.world.oracle.worst(schedule.world.setting.limits(), schedule.releasedNanos);
      if (worst.over() > 0) {
        over.add(
            "seed %d: %s over by %d at %.2f s, released until %.2f s%n%s"
                .formatted(
                    seed,
                    schedule.world.setting.limits().get(worst.id()),
                    worst.over(),
                    worst.trueNanos() / 1e9,
                    schedule.releasedNanos / 1e9,
                    schedule.faults));
      }
    }
    System.out.printf("%d schedules, %d instances released%n", schedules, released);
    assertThat(over).isEmpty();
    assertThat(released).isGreaterThan(schedules);
  }
}
