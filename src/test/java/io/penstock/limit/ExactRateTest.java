package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExactRateTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1, 1, 1",
    "10, 1, 10, 1",
    "0.5, 1, 1, 2",
    "7, 60, 7, 60",
    "60, 60, 1, 1",
    "999.999, 1, 999999, 1000",
    "0.000000001, 1, 1, 1000000000",
    "1E+3, 1, 1000, 1",
    "1.50, 60, 1, 40",
    "1000000000, 1, 1000000000, 1",
    "1.000000000000000000, 1, 1, 1",
    "1000000000000000000000.000000000000000000, 1000000000000, 1000000000, 1",
  })
  void amount_becomesAFractionInLowestTerms(
      BigDecimal amount, long unit, long releases, long seconds) {
    assertThat(ExactRate.of(amount, unit)).isEqualTo(new ExactRate(releases, seconds));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-1", "0.0000000001", "1000000001", "1E+30", "1E-999999999", "1E+999999999"})
  void amountOutOfRange_isRefused(String amount) {
    assertThatThrownBy(() -> ExactRate.of(new BigDecimal(amount), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("rate is ");
  }

  @Test
  void nothingAtAll_isRefusedAsTooLittle() {
    assertThatThrownBy(() -> ExactRate.of(BigDecimal.ZERO, 1))
        .hasMessage("rate is 0, expected more than 0");
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "7, 60", "999999, 1000", "1000000000, 1", "1, 1000000000", "999999999, 7"})
  void slots_areTheCeilingOfTheExactInstant(long releases, long seconds) {
    ExactRate exactRate = new ExactRate(releases, seconds);
    long[] slots = {0, 1, 2, releases / 3, releases - 1, releases};
    for (long slot : slots) {
      if (slot > releases) {
        continue;
      }
      BigInteger exact =
          BigInteger.valueOf(slot)
              .multiply(BigInteger.valueOf(seconds))
              .multiply(BigInteger.valueOf(1_000_000_000));
      BigInteger[] parts = exact.divideAndRemainder(BigInteger.valueOf(releases));
      long ceiling = parts[0].longValueExact() + parts[1].signum();
      assertThat(exactRate.slotNanos(slot)).isEqualTo(ceiling);
    }
  }
}
