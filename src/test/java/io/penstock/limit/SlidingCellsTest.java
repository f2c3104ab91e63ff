package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

/** A sliding window with too large a capacity to remember single releases. */
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
    long opens = limit.admittedAt(5_000, START);
    assertThat(opens - START - WINDOW).isBetween(0L, SECOND);
    assertThat(limit.take(Weight.exactly(5_000), opens)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void chargedTwiceOver_blocksNoLongerThanItCounts() {
    Limit limit = limit();
    limit.charge(10_000, 0, START);
    assertThat(limit.admittedAt(5_000, START)).isBetween(START + WINDOW, START + WINDOW + SECOND);
  }

  @Test
  void otherCapacity_historyKeepsItsAge() {
    Limit limit = limit();
    limit.take(Weight.exactly(4_000), START);
    limit.resize(spec(9_000), START + WINDOW / 2);
    assertThat(limit.room(START + WINDOW / 2)).isEqualTo(5_000);
    assertThat(limit.room(START + WINDOW + SECOND)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void otherWindow_startsWithWhatCounts() {
    Limit limit = limit();
    limit.take(Weight.exactly(4_000), START);
    LimitSpec halved = new LimitSpec.SlidingWindow(5_000, WINDOW / 2);
    limit.resize(halved, START);
    assertThat(limit.spec()).isEqualTo(halved);
    assertThat(limit.room(START + WINDOW / 2 - 1)).isEqualTo(1_000);
    assertThat(limit.room(START + WINDOW / 2 + SECOND)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void asFewAsAreRememberedOneByOne_countToTheNanosecondFromThenOn() {
    Limit limit = limit();
    limit.take(Weight.exactly(2_000), START);
    long now = START + SECOND;
    limit.resize(spec(4_097), now);
    assertThat(limit.admittedAt(4_097, now)).isBetween(START + WINDOW, START + WINDOW + SECOND);
    limit.resize(spec(4_096), now);
    assertThat(limit.admittedAt(4_096, now)).isEqualTo(now + WINDOW);
    Limit one = new Limit(spec(4_096), START);
    one.take(Weight.exactly(4_096), START);
    assertThat(one.admittedAt(1, START)).isEqualTo(START + WINDOW);
  }
}
