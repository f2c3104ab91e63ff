package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Unix time by a monotonic clock, whose readings may take long. */
class UnixTimeTest {
  private static final long MILLI = 1_000_000;

  private long tick = 5_000 * MILLI;
  private long unixMillis = 1_000_000;
  private long standsNanos;

  private final UnixTime time =
      new UnixTime(
          () -> {
            pass(standsNanos);
            return unixMillis;
          },
          () -> tick);

  private void pass(long nanos) {
    tick += nanos;
    unixMillis += nanos / MILLI;
  }

  /** Returns the time without the millisecond by which it is late on purpose. */
  private long millis(long instant) {
    return time.nanos(instant) / MILLI + 1;
  }

  @Test
  void timePasses_anyInstantHasItsTime() {
    pass(700 * MILLI);
    assertThat(time.now()).isEqualTo(tick);
    assertThat(millis(tick)).isEqualTo(unixMillis);
    assertThat(millis(tick - 300 * MILLI)).isEqualTo(unixMillis - 300);
  }

  @Test
  void threadStandsStillBetweenTheReadings_theTimeStays() {
    long before = tick;
    standsNanos = 640 * MILLI;
    assertThat(millis(before)).isEqualTo(1_000_000);
    standsNanos = 0;
    assertThat(millis(tick)).isEqualTo(unixMillis);
  }

  @Test
  void wallClockIsSet_theTimeFollows() {
    for (long set : new long[] {3_600_000, -7_200_000, 2}) {
      unixMillis += set;
      assertThat(millis(tick)).as("set by %d ms", set).isEqualTo(unixMillis);
    }
  }

  @Test
  void readingsAreLateByLessThanAMillisecond_theEarliestCounts() {
    tick += 600_000; // and the millisecond has not passed
    assertThat(time.nanos(tick)).isEqualTo((unixMillis - 1) * MILLI + 600_000);
    tick += 100_000;
    unixMillis++;
    assertThat(time.nanos(tick)).isEqualTo((unixMillis - 1) * MILLI);
    tick += 900_000;
    assertThat(time.nanos(tick)).isEqualTo((unixMillis - 1) * MILLI + 900_000);
  }
}
