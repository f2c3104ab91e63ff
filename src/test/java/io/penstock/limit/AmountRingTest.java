package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AmountRingTest {
  /** Four cells: index 9 is the newest, where 90 was counted; index 6 is the oldest. */
  private static final long[] RING = {80, 90, 60, 70};

  @Test
  void longer_hasEachAtItsIndexAndNothingBeforeThem() {
    long[] longer = AmountRing.resized(RING, 9, 6);
    assertThat(longer).containsExactly(60, 70, 80, 90, 0, 0);
    assertThat(AmountRing.sum(longer, 4, 9)).isEqualTo(300);
  }

  @Test
  void shorter_keepsTheNewest() {
    assertThat(AmountRing.resized(RING, 9, 3)).containsExactly(90, 70, 80);
  }

  @Test
  void asLong_isItself() {
    assertThat(AmountRing.resized(RING, 9, 4)).isSameAs(RING);
  }

  @Test
  void rolled_whatComesNewIsZero() {
    assertThat(AmountRing.rolled(RING, 9, 9)).containsExactly(RING);
    assertThat(AmountRing.rolled(RING, 9, 10)).containsExactly(80, 90, 0, 70);
    assertThat(AmountRing.rolled(RING, 9, 12)).containsExactly(0, 90, 0, 0);
    assertThat(AmountRing.rolled(RING, 9, 13)).containsOnly(0);
    assertThat(AmountRing.rolled(RING, 9, 1_000)).containsOnly(0);
  }
}
