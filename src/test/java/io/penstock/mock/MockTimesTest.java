package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MockTimesTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "1, 1ms",
    "6000000, 6ms",
    "6000001, 7ms",
    "999000000, 999ms",
    "999000001, 1s",
    "8640000000, 8.64s",
    "59999000000, 59.999s",
    "60000000000, 1m0s",
    "62500000000, 1m2.5s",
    "3600000000000, 1h0m0s",
    "3661050000000, 1h1m1.05s"
  })
  void goDuration_asGoPrintsIt(long nanos, String text) {
    assertThat(MockTimes.goDuration(nanos)).isEqualTo(text);
  }

  @Test
  void rfc3339_roundedUpToTheSecond() {
    assertThat(MockTimes.rfc3339(1_735_689_600_000L, 0)).isEqualTo("2025-01-01T00:00:00Z");
    assertThat(MockTimes.rfc3339(1_735_689_600_000L, 1)).isEqualTo("2025-01-01T00:00:01Z");
  }
}
