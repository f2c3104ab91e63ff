package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

class UnlimitedTest {
  private final Limit limit = new Limit(new LimitSpec.Unlimited(), 0);

  @Test
  void anything_isAdmittedAtOnce() {
    for (int taken = 0; taken < 10; taken++) {
      assertThat(limit.take(new Weight(Long.MAX_VALUE / 2, 7, 0), 5))
          .isInstanceOf(LimitAnswer.Receipt.class);
    }
    assertThat(limit.admittedAt(Long.MAX_VALUE, 5)).isEqualTo(5);
    assertThat(limit.utilization(5)).isZero();
    assertThat(limit.balance(5)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void resized_countsFromThenOn() {
    limit.take(Weight.exactly(100), 5);
    limit.resize(new LimitSpec.FixedWindow(10, 1_000_000_000), 5);
    assertThat(limit.take(Weight.exactly(10), 5)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.take(Weight.exactly(1), 5)).isInstanceOf(LimitAnswer.Wait.class);
  }

  @Test
  void chargedAndGivenBack_isWithoutEndAllTheSame() {
    LimitAnswer.Receipt receipt = limit.charge(Long.MAX_VALUE, 0, 5);
    assertThat(limit.room(5)).isEqualTo(Long.MAX_VALUE);
    assertThat(limit.roomFreeAt(Long.MAX_VALUE, 5)).isEqualTo(5);
    limit.giveBack(receipt, 7, 7, 5);
    assertThat(limit.spec()).isEqualTo(new LimitSpec.Unlimited());
    assertThat(limit.cells(5)).isEmpty();
  }
}
