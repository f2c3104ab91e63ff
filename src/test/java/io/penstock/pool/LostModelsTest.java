package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LostModelsTest {
  private final LostModels lostModels = new LostModels();

  @Test
  void modelThatWasServed_isLostOnceItIsNotFound_untilItIsServedAgain() {
    lostModels.served("m");
    assertThat(lostModels.isLost("m")).isFalse();
    lostModels.notFound("m");
    lostModels.notFound("m");
    assertThat(lostModels.isLost("m")).isTrue();
    assertThat(lostModels.count()).isOne();
    lostModels.served("m");
    assertThat(lostModels.isLost("m")).isFalse();
    assertThat(lostModels.count()).isZero();
  }

  @Test
  void modelThatWasNeverServed_isNotLost() {
    lostModels.notFound("m");
    assertThat(lostModels.isLost("m")).isFalse();
    assertThat(lostModels.count()).isZero();
  }

  @Test
  void modelsBeyondTheBound_areNotRemembered() {
    for (int each = 0; each <= LostModels.MOST; each++) {
      lostModels.served("m" + each);
      lostModels.notFound("m" + each);
    }
    assertThat(lostModels.count()).isEqualTo(LostModels.MOST);
    assertThat(lostModels.isLost("m" + LostModels.MOST)).isFalse();
    lostModels.forget();
    assertThat(lostModels.count()).isZero();
  }
}
