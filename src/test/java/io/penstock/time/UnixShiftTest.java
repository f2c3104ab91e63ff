package io.penstock.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UnixShiftTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong wallMillis = new AtomicLong(5_000);
  private final UnixShift unixShift = new UnixShift(wallMillis::get, 1_000 * MILLI);

  @Test
  void smallDifference_changesNothing() {
    assertThat(unixShift.nanos()).isEqualTo(4_000 * MILLI);
    wallMillis.addAndGet(20);
    assertThat(unixShift.follow(1_000 * MILLI)).isFalse();
    assertThat(unixShift.nanos()).isEqualTo(4_000 * MILLI);
  }

  @Test
  void clockThatWasSet_isFollowed() {
    wallMillis.addAndGet(-21);
    assertThat(unixShift.follow(1_000 * MILLI)).isTrue();
    assertThat(unixShift.nanos()).isEqualTo(3_979 * MILLI);
  }

  @Test
  void cell_isThatOfTheUnixClock() {
    assertThat(unixShift.cell(1_000 * MILLI, 999 * MILLI)).isEqualTo(4);
    assertThat(unixShift.cell(1_000 * MILLI, 1_000 * MILLI)).isEqualTo(5);
  }
}
