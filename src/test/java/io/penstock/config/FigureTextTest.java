package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FigureTextTest {
  @ParameterizedTest
  @CsvSource({
    "-1,0",
    "0,0",
    "9999,9999",
    "10000,10K",
    "12345,12.3K",
    "99949,99.9K",
    "99950,100K",
    "999499,999K",
    "999500,1M",
    "1234567,1.2M",
    "9223372036854775807,9.2E"
  })
  void count_isShort(long count, String text) {
    assertThat(FigureText.count(count)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "-1,0ms",
    "999,999ms",
    "1000,1.0s",
    "99949,99.9s",
    "99950,1m39s",
    "185000,3m05s",
    "600000,10m",
    "3600000,1h00m",
    "36000000,10h",
    "345600000,4d",
    "9223372036854775807,107Gd"
  })
  void time_isShort(long millis, String text) {
    assertThat(FigureText.time(millis)).isEqualTo(text);
  }

  @Test
  void all_fitFiveColumns() {
    for (long figure = 1; figure < Long.MAX_VALUE / 20; figure = figure * 17 / 13 + 1) {
      assertThat(FigureText.count(figure)).hasSizeLessThanOrEqualTo(5);
      assertThat(FigureText.time(figure)).hasSizeLessThanOrEqualTo(6);
    }
  }

  @Test
  void percent_isBounded() {
    assertThat(FigureText.percent(0.126)).isEqualTo("13%");
    assertThat(FigureText.percent(-1)).isEqualTo("0%");
    assertThat(FigureText.percent(Double.NaN)).isEqualTo("0%");
    assertThat(FigureText.percent(1e9)).isEqualTo("999%");
  }
}
