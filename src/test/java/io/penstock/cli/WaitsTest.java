package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitsTest {
  private final Waits waits = new Waits();

  @Test
  void none_isZero() {
    assertThat(waits.percentile(0.5)).isZero();
    assertThat(waits.count()).isZero();
  }

  @Test
  void hundred_haveTheirPercentiles() {
    for (int at = 100; at > 0; at--) {
      waits.add(at);
    }
    assertThat(waits.percentile(0.5)).isEqualTo(50);
    assertThat(waits.percentile(0.9)).isEqualTo(90);
    assertThat(waits.percentile(0.99)).isEqualTo(99);
    assertThat(waits.last()).isEqualTo(1);
    assertThat(waits.sum()).isEqualTo(5_050);
    waits.add(1_000);
    assertThat(waits.percentile(1)).isEqualTo(1_000);
  }

  @Test
  void percentiles_areOfTheLastThousand_sumsOfAll() {
    for (int at = 0; at < 5_000; at++) {
      waits.add(at < 4_000 ? 60_000 : 7);
    }
    assertThat(waits.percentile(0.99)).isEqualTo(7);
    assertThat(waits.count()).isEqualTo(5_000);
    assertThat(waits.sum()).isEqualTo(4_000 * 60_000L + 7_000);
  }
}
