package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

class TrailingWindowReloadTest {
  private static final long SECOND = 1_000_000_000L;

  private static LimitSpec.TrailingWindow window(long guardNanos) {
    return new LimitSpec.TrailingWindow(60, 60 * SECOND, guardNanos, 10);
  }

  @Test
  void anotherGuard_chargesStillAgeFromWhenTheyWereMade() {
    Limit limit = new Limit(window(0), 0);
    limit.take(Weight.exactly(10), 0);

    limit.resize(window(2 * SECOND), 50 * SECOND);

    assertThat(limit.room(63 * SECOND - 1)).isEqualTo(50);
    assertThat(limit.room(63 * SECOND)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anotherGuard_paceIsNotForgotten() {
    Limit limit = new Limit(window(0), 0);
    limit.take(Weight.exactly(10), 0);

    limit.resize(window(SECOND), 1);

    assertThat(limit.paceAllowsAt(10, 1)).isEqualTo(10 * SECOND);
  }

  @Test
  void overdrawnWindow_amountOfZero_opensNow() {
    Limit limit = new Limit(window(0), 0);
    limit.charge(100, 0, 0);
    assertThat(limit.roomFreeAt(0, 0)).isZero();
    assertThat(limit.roomFreeAt(1, 0)).isGreaterThan(0);
  }
}
