package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProviderCeilingTest {
  private static final long DAY = 86_400_000_000_000L;

  private static ProviderCeiling ceiling(long left, long limit, long reset) {
    return new ProviderCeiling(0, 0, left, limit, reset, 0, 0);
  }

  @Test
  void whatThereIs_opensNowAndWhatNeverWasAtTheReset() {
    ProviderCeiling providerCeiling = ceiling(400, 1_000, 600);
    assertThat(providerCeiling.roomFreeAt(500, 0, 100)).isEqualTo(100);
    assertThat(providerCeiling.roomFreeAt(501, 0, 100)).isEqualTo(101);
    assertThat(providerCeiling.roomFreeAt(1_000, 0, 100)).isEqualTo(600);
    assertThat(providerCeiling.roomFreeAt(1_001, 0, 100)).isEqualTo(600);
    assertThat(providerCeiling.roomFreeAt(1_000_000, 0, 100)).isEqualTo(600);
    assertThat(providerCeiling.roomFreeAt(1_000_000, 0, 600)).isEqualTo(600);
  }

  /**
   * For times of a year a double no longer distinguishes nanoseconds, and quotients come out too
   * late.
   */
  @ParameterizedTest
  @CsvSource({
    "247592, 471327, 418404, 366",
    "2208, 636946, 469231, 366",
    "227120, 719832, 448431, 366",
    "164981, 194938, 188694, 366",
    "0, 3, 1, 1",
    "0, 1000, 7, 31",
    "17, 1000, 999, 31",
  })
  void whatGrows_opensAtTheFirstInstantThatHasItAndNotBefore(
      long left, long limit, long amount, long days) {
    ProviderCeiling providerCeiling = ceiling(left, limit, days * DAY);
    long opens = providerCeiling.roomFreeAt(amount, 0, 0);
    assertThat(providerCeiling.room(0, opens)).isEqualTo(amount);
    assertThat(providerCeiling.room(0, opens - 1)).isEqualTo(amount - 1);
    assertThat(providerCeiling.roomFreeAt(amount, 0, opens - 1)).isEqualTo(opens);
    assertThat(providerCeiling.roomFreeAt(amount, 0, opens)).isEqualTo(opens);
  }
}
