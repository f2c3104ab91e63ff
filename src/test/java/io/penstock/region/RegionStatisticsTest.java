package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogLines;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests the statistics of database requests, and when the database counts as failing. */
@Isolated("it reads what is logged")
class RegionStatisticsTest {
  private static final String SICK =
      "WARN regions: the database fails, limits go on with what is known: it failed"
          + " (IllegalStateException)";
  private static final String WELL = "INFO regions: the database is well again";

  private final RegionStatistics regionStatistics = new RegionStatistics();
  private final LogLines lines = LogLines.of("io.penstock.region");

  @AfterEach
  void stopListening() {
    lines.close();
  }

  private void fail(int what) {
    regionStatistics.failed(what, new IllegalStateException("sick"));
  }

  @Test
  void answers_areCountedWithTheTimeTheyTook() {
    regionStatistics.answered(RegionStatistics.COUNTS, 30);
    regionStatistics.answered(RegionStatistics.LOOKS, 12);
    assertThat(regionStatistics.answered()).isEqualTo(2);
    assertThat(regionStatistics.answeredNanos()).isEqualTo(42);
  }

  @Test
  void failures_areCountedApartFromWhatTookTooLong() {
    fail(RegionStatistics.COUNTS);
    regionStatistics.failed(RegionStatistics.COUNTS, null);
    regionStatistics.failed(RegionStatistics.COUNTS, new TimeoutException("late"));
    assertThat(regionStatistics.failed()).isEqualTo(2);
    assertThat(regionStatistics.timedOut()).isEqualTo(1);
    assertThat(regionStatistics.answered()).isZero();
  }

  @Test
  void healthyDatabase_isNotSaidToBeWellAgain() {
    regionStatistics.answered(RegionStatistics.COUNTS, 1);
    regionStatistics.answered(RegionStatistics.LOOKS, 1);
    assertThat(lines.text()).isEmpty();
  }

  @Test
  void sickDatabase_isSaidOnce_andOnceThatItIsWellAgain() {
    fail(RegionStatistics.COUNTS);
    fail(RegionStatistics.COUNTS);
    fail(RegionStatistics.LOOKS);
    assertThat(lines.text()).isEqualTo(SICK);
    regionStatistics.answered(RegionStatistics.COUNTS, 1);
    regionStatistics.answered(RegionStatistics.LOOKS, 1);
    regionStatistics.answered(RegionStatistics.LOOKS, 1);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL);
    fail(RegionStatistics.LOOKS);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL + "\n" + SICK);
  }

  @Test
  void databaseOfWhichOnePartFailsStill_isNotWell() {
    fail(RegionStatistics.LOOKS);
    fail(RegionStatistics.SWEEPS);
    regionStatistics.answered(RegionStatistics.COUNTS, 1);
    regionStatistics.answered(RegionStatistics.LOOKS, 1);
    assertThat(lines.text()).isEqualTo(SICK);
    regionStatistics.answered(RegionStatistics.SWEEPS, 1);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL);
  }

  @Test
  void failedDenials_areWellAgain_whenCountsAre_butNotWhenLooksAre() {
    fail(RegionStatistics.DENIALS);
    regionStatistics.answered(RegionStatistics.LOOKS, 1);
    assertThat(lines.text()).isEqualTo(SICK);
    regionStatistics.answered(RegionStatistics.COUNTS, 1);
    assertThat(lines.text()).isEqualTo(SICK + "\n" + WELL);
  }

  @Test
  void writtenDenials_doNotTellForCounts() {
    fail(RegionStatistics.COUNTS);
    regionStatistics.answered(RegionStatistics.DENIALS, 1);
    assertThat(lines.text()).isEqualTo(SICK);
  }
}
