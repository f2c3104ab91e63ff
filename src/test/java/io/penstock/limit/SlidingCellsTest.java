package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

/** A sliding window of more than can be remembered one by one. */
class SlidingCellsTest extends LimitContract {
  private static final long WINDOW = 60 * SECOND;

  private static LimitSpec spec(long capacity) {
    return new LimitSpec.SlidingWindow(capacity, WINDOW);
  }

  @Override
  Limit limit() {
    return new Limit(spec(5_000), START);
  }

  @Override
  long largest() {
    return 4_000;
  }

  @Override
  LimitSpec larger() {
    return spec(9_000);
  }

  @Test
  void allAtOnce_goesAtOnceAndCountsASubCellLongerAtTheMost() {
    Limit limit = limit();
    limit.take(Weight.exactly(5_000), START);
    long opens = limit.earliest(5_000, START);
    assertThat(opens - START - WINDOW).isBetween(0L, SECOND);
    assertThat(limit.take(Weight.exactly(5_000), opens)).isInstanceOf(Answer.Receipt.class);
  }

  @Test
  void chargedTwiceOver_blocksNoLongerThanItCounts() {
    Limit limit = limit();
    limit.charge(10_000, 0, START);
    assertThat(limit.earliest(5_000, START)).isBetween(START + WINDOW, START + WINDOW + SECOND);
  }
}
