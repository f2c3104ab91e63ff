package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitStatisticsTest {
  private final WaitStatistics waitStatistics = new WaitStatistics();

  @Test
  void none_isZero() {
    assertThat(waitStatistics.percentile(0.5)).isZero();
    assertThat(waitStatistics.count()).isZero();
  }

  @Test
  void hundred_haveTheirPercentiles() {
    for (int at = 100; at > 0; at--) {
      waitStatistics.add(at);
    }
    assertThat(waitStatistics.percentile(0.5)).isEqualTo(50);
    assertThat(waitStatistics.percentile(0.9)).isEqualTo(90);
    assertThat(waitStatistics.percentile(0.99)).isEqualTo(99);
    assertThat(waitStatistics.last()).isEqualTo(1);
    assertThat(waitStatistics.sum()).isEqualTo(5_050);
    waitStatistics.add(1_000);
    assertThat(waitStatistics.percentile(1)).isEqualTo(1_000);
  }

  @Test
  void percentiles_areOfTheLastThousand_sumsOfAll() {
    for (int at = 0; at < 5_000; at++) {
      waitStatistics.add(at < 4_000 ? 60_000 : 7);
    }
    assertThat(waitStatistics.percentile(0.99)).isEqualTo(7);
    assertThat(waitStatistics.count()).isEqualTo(5_000);
    assertThat(waitStatistics.sum()).isEqualTo(4_000 * 60_000L + 7_000);
  }
}
