package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResetTimesTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00.250Z");

  private final ResetTimes resetTimes = new ResetTimes(NOW::toEpochMilli);

  @ParameterizedTest
  @CsvSource({
    "6m0s, 360000",
    "1s, 1000",
    "20ms, 20",
    "1.5s, 1500",
    "1h2m3.5s, 3723500",
    "0s, 0",
    "500us, 0.5",
    "500µs, 0.5",
    "1000000ns, 1",
    "12, 12000",
    "' 7s ', 7000",
    "24h0m0s, 86400000",
  })
  void goDurations(String text, double millis) {
    assertThat(resetTimes.goDuration(text)).isEqualTo((long) (millis * 1e6));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-21T12:00:01.25Z, 1000",
    "2026-11-21T12:00:37Z, 36750",
    "2026-11-21T13:01:00.25+01:00, 60000",
    "2026-11-21T11:59:59Z, 0",
    "1970-01-01T00:00:00Z, 0",
    "2026-11-22T12:00:00.25Z, 86400000",
  })
  void instants(String text, long millis) {
    assertThat(resetTimes.instant(text)).isEqualTo(millis * 1_000_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "37 | 37000",
        "0 | 0",
        "0.5 | 500",
        "Sat, 21 Nov 2026 12:00:10 GMT | 9750",
        "Saturday, 21-Nov-26 12:00:10 GMT | 9750",
        "Sat Nov 21 12:00:10 2026 | 9750",
        "Sat, 21 Nov 2026 11:00:00 GMT | 0",
        "604800 | 604800000",
        "3024000 | 3024000000",
        "Sat, 28 Nov 2026 12:00:00 GMT | 604799750",
        "1795262410 | 9750",
        "1795262410500 | 10250",
        "1795000000 | 0",
      })
  void secondsOrDates(String text, long millis) {
    assertThat(resetTimes.secondsOrDate(text)).isEqualTo(millis * 1_000_000);
  }

  @ParameterizedTest
  @CsvSource({"37s, 37000000000", "37.5s, 37500000000", "0.000000001s, 1", "0s, 0"})
  void protobufDurations(String text, long nanos) {
    assertThat(resetTimes.retryDuration(text)).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "soon",
        "-1",
        "-1s",
        "1e9",
        "NaN",
        "Infinity",
        "s",
        "1x",
        "1s1",
        "1 s",
        "9999999999999999999999s",
        "999999999999h",
        "+1000000-01-01T00:00:00Z",
        "+999999999-12-31T23:59:59Z",
        "2026-13-45T99:99:99Z",
        "Sat, 99 Nov 2026 12:00:10 GMT",
        "Sat, 21 Nov 2126 12:00:10 GMT",
        "\u0000\uffff",
        "٣s",
        "1111111111111111111111111111111111111111111111111111111111111111111111111111",
      })
  void garbage_isUnsaidInEveryEncoding(String text) {
    assertThat(resetTimes.goDuration(text)).isEqualTo(-1);
    assertThat(resetTimes.instant(text)).isEqualTo(-1);
    assertThat(resetTimes.secondsOrDate(text)).isEqualTo(-1);
    assertThat(resetTimes.retryDuration(text)).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"25h", "2036-11-21T12:00:00Z"})
  void resetTakesLongerThanADay_isUnsaid(String text) {
    assertThat(resetTimes.goDuration(text)).isEqualTo(-1);
    assertThat(resetTimes.instant(text)).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3024001", "99999999", "1895262410", "Sat, 26 Dec 2026 12:00:01 GMT"})
  void retryTakesLongerThan35Days_isUnsaid(String text) {
    assertThat(resetTimes.secondsOrDate(text)).isEqualTo(-1);
  }

  @Test
  void week_isSaidInEachFormOfARetry() {
    long week = 604_800_000_000_000L;
    assertThat(resetTimes.millis("604800000")).isEqualTo(week);
    assertThat(resetTimes.retryDuration("604800s")).isEqualTo(week);
  }
}
