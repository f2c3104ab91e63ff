package io.penstock.gateway.body;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyPaceTest {
  private static final long SECOND = 1_000_000_000L;

  /** 100 bytes in each 10 s, and all of it within 25 s. */
  private final BodyPace pace = new BodyPace(new BodyPace.Terms(10 * SECOND, 10, 25 * SECOND));

  @Test
  void enoughInEachWindow_isFastEnough_untilTheDeadline() {
    pace.resume(0);
    assertThat(pace.check(0)).isEqualTo(10 * SECOND);
    pace.came(100);
    assertThat(pace.check(10 * SECOND)).isEqualTo(10 * SECOND);
    pace.came(100);
    assertThat(pace.check(20 * SECOND)).isEqualTo(5 * SECOND);
    pace.came(1_000);
    assertThat(pace.check(25 * SECOND - 1)).isEqualTo(1);
    assertThat(pace.check(25 * SECOND)).isZero();
  }

  @Test
  void oneByteTooFewInAWindow_isTooSlow_howeverMuchCameBefore() {
    pace.resume(0);
    pace.came(1_000_000);
    assertThat(pace.check(10 * SECOND)).isEqualTo(10 * SECOND);
    pace.came(99);
    assertThat(pace.check(20 * SECOND - 1)).isEqualTo(1);
    assertThat(pace.check(20 * SECOND)).isZero();
  }

  @Test
  void timeInWhichNothingIsRead_doesNotCount() {
    pace.resume(0);
    pace.pause(4 * SECOND);
    assertThat(pace.check(1_000 * SECOND)).isEqualTo(6 * SECOND);
    pace.resume(2_000 * SECOND);
    assertThat(pace.check(2_006 * SECOND - 1)).isEqualTo(1);
    pace.came(100);
    assertThat(pace.check(2_006 * SECOND)).isEqualTo(10 * SECOND);
    pace.resume(2_010 * SECOND); // no effect: it already reads
    assertThat(pace.check(2_011 * SECOND)).isEqualTo(5 * SECOND);
  }

  @Test
  void noRate_asksForOneByteAWindow() {
    BodyPace any = new BodyPace(new BodyPace.Terms(10 * SECOND, 0, 100 * SECOND));
    any.resume(0);
    any.came(1);
    assertThat(any.check(10 * SECOND)).isEqualTo(10 * SECOND);
    assertThat(any.check(20 * SECOND)).isZero();
  }

  @Test
  void leastBytes_areRoundedUp() {
    assertThat(new BodyPace.Terms(SECOND / 5, 1024, SECOND).leastBytes()).isEqualTo(205);
    assertThat(new BodyPace.Terms(SECOND, 0, SECOND).leastBytes()).isEqualTo(1);
  }
}
