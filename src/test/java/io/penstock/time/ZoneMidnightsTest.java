package io.penstock.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZoneMidnightsTest {
  private static final long HOUR = 3_600_000_000_000L;
  private static final long MILLI = 1_000_000;

  /** Without meaning: the monotonic clock starts anywhere. */
  private static final long NOW = 17 * HOUR + 123;

  private static ZoneMidnights at(String zone, String instant) {
    long millis = ZonedDateTime.parse(instant).toInstant().toEpochMilli();
    return new ZoneMidnights(ZoneId.of(zone), () -> millis);
  }

  @ParameterizedTest
  @CsvSource({
    "UTC, 2026-03-01T22:30:00Z, 5400000",
    "UTC, 2026-03-01T00:00:00Z, 86400000",
    "UTC, 2026-02-28T23:59:59.999Z, 1",
    "America/Los_Angeles, 2026-01-15T08:00:00Z, 86400000",
    "America/Los_Angeles, 2026-01-15T07:59:59Z, 1000",
    "America/Los_Angeles, 2026-07-15T06:00:00Z, 3600000",
    // the day on which clocks go forward has 23 hours, the one on which they go back 25
    "America/Los_Angeles, 2026-03-08T08:00:00Z, 82800000",
    "America/Los_Angeles, 2026-11-01T07:00:00Z, 90000000",
  })
  void nextMidnight_isThatOfTheZone(String zone, String instant, long millis) {
    assertThat(at(zone, instant).after(NOW, NOW)).isEqualTo(NOW + millis * MILLI);
  }

  @ParameterizedTest
  @CsvSource({
    "UTC, 2026-03-30T22:30:00Z, 2026-04-01T00:00:00Z",
    "UTC, 2026-03-01T00:00:00Z, 2026-04-01T00:00:00Z",
    "UTC, 2026-02-28T23:59:59.999Z, 2026-03-01T00:00:00Z",
    "UTC, 2028-02-28T23:59:59Z, 2028-03-01T00:00:00Z",
    "UTC, 2026-12-31T12:00:00Z, 2027-01-01T00:00:00Z",
  })
  void nextOfAMonth_isThatOfItsFirst(String zone, String instant, String expected) {
    ZoneMidnights days = at(zone, instant);
    ZoneMidnights months = new ZoneMidnights(days.zone(), days.wall(), ZoneMidnights.Each.MONTH);
    long millis = ZonedDateTime.parse(expected).toInstant().toEpochMilli();
    long expectedNanos = (millis - days.wall().unixMillis()) * MILLI;
    assertThat(months.after(NOW, NOW)).isEqualTo(NOW + expectedNanos);
    assertThat(expectedNanos).isLessThanOrEqualTo(months.apartNanos());
  }

  @Test
  void instantToCome_isAskedFromNow() {
    ZoneMidnights zoneMidnights = at("UTC", "2026-03-01T22:00:00Z");
    assertThat(zoneMidnights.after(NOW + HOUR, NOW)).isEqualTo(NOW + 2 * HOUR);
    assertThat(zoneMidnights.after(NOW + 2 * HOUR, NOW)).isEqualTo(NOW + 26 * HOUR);
    assertThat(zoneMidnights.after(NOW - 23 * HOUR, NOW)).isEqualTo(NOW - 22 * HOUR);
  }

  @Test
  void yearOfDays_eachEndsWhereTheNextBegins() {
    ZoneMidnights zoneMidnights = at("America/Los_Angeles", "2026-01-01T08:00:00Z");
    long instant = 0;
    int longest = 0;
    int shortest = 100;
    for (int day = 0; day < 365; day++) {
      long next = zoneMidnights.after(instant, 0);
      int hours = (int) ((next - instant) / HOUR);
      longest = Math.max(longest, hours);
      shortest = Math.min(shortest, hours);
      instant = next;
    }
    assertThat(longest).isEqualTo(25);
    assertThat(shortest).isEqualTo(23);
    assertThat(instant).isEqualTo(365 * 24 * HOUR);
  }
}
