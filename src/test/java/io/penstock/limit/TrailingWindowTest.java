package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

/** A trailing window without a pace: its burst is its capacity. */
class TrailingWindowTest extends LimitContract {
  private static final long WINDOW = 60 * SECOND;
  private static final long GUARD = 50_000_000;

  /** The start of a sub-cell; sub-cells are whole seconds. */
  private static final long EDGE = 2_000 * SECOND;

  private final Limit limit = limit();

  @Override
  Limit limit() {
    return new Limit(new LimitSpec.TrailingWindow(100, WINDOW, GUARD, 100), START - SECOND);
  }

  @Override
  long largest() {
    return 100;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.TrailingWindow(1_000, WINDOW, GUARD, 1_000);
  }

  private LimitAnswer take(long amount, long now) {
    return limit.take(Weight.exactly(amount), now);
  }

  private LimitAnswer.Receipt taken(long amount, long now) {
    return (LimitAnswer.Receipt) take(amount, now);
  }

  @Test
  void charge_countsUntilTheEndOfItsSubCellPlusWindowPlusGuard() {
    taken(100, EDGE + 300_000_000);
    long free = EDGE + SECOND + WINDOW + GUARD;
    assertThat(take(1, EDGE + SECOND)).isEqualTo(new LimitAnswer.Wait(free));
    assertThat(take(100, free - 1)).isEqualTo(new LimitAnswer.Wait(free));
    assertThat(take(100, free)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void widened_countsLongerAndAtMostHalfASecond() {
    taken(100, EDGE);
    long free = EDGE + SECOND + WINDOW + GUARD;
    limit.feedback().widen(30_000_000);
    assertThat(take(1, EDGE)).isEqualTo(new LimitAnswer.Wait(free + 30_000_000));
    limit.feedback().widen(Long.MAX_VALUE);
    assertThat(take(1, EDGE)).isEqualTo(new LimitAnswer.Wait(free + 500_000_000));
    assertThat(take(1, free + 499_999_999)).isInstanceOf(LimitAnswer.Wait.class);
    assertThat(take(1, free + 500_000_000)).isInstanceOf(LimitAnswer.Receipt.class);
    limit.feedback().widen(-5);
    assertThat(limit.balance(free)).isEqualTo(new LimitBalance(1, 0, 0));
  }

  @Test
  void widenedAfterResize_staysWidened() {
    taken(100, EDGE);
    limit.feedback().widen(30_000_000);
    limit.resize(larger(), EDGE);
    taken(900, EDGE);
    assertThat(take(1, EDGE))
        .isEqualTo(new LimitAnswer.Wait(EDGE + SECOND + WINDOW + GUARD + 30_000_000));
  }

  @Test
  void refund_onlyWhileItsSubCellCounts() {
    LimitAnswer.Receipt receipt = taken(60, EDGE);
    limit.giveBack(receipt, 20, 0, EDGE + WINDOW);
    assertThat(limit.balance(EDGE + WINDOW).charged()).isEqualTo(40);
    long gone = EDGE + SECOND + WINDOW + GUARD;
    taken(30, gone);
    limit.giveBack(receipt, 40, 0, gone);
    assertThat(limit.balance(gone).charged()).isEqualTo(30);
  }

  @Test
  void heldForMinutes_countsAllTheWhile() {
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(new Weight(10, 60, 10), EDGE);
    long later = EDGE + 10 * WINDOW;
    assertThat(limit.room(later)).isEqualTo(40);
    limit.charge(25, 25, later);
    assertThat(limit.balance(later)).isEqualTo(new LimitBalance(25, 0, 35));
    limit.giveBack(receipt, 0, 35, later);
    assertThat(limit.balance(later)).isEqualTo(new LimitBalance(25, 0, 0));
  }

  @Test
  void idleForLongerThanTheRing_startsEmpty() {
    for (int cell = 0; cell < 61; cell++) {
      limit.charge(1, 0, EDGE + cell * SECOND);
    }
    for (long idle : new long[] {62, 63, 64, 124, 10_000, 1_000_000}) {
      long now = EDGE + 61 * SECOND + idle * SECOND;
      assertThat(limit.room(now)).isEqualTo(Long.MAX_VALUE);
    }
    long now = EDGE + 1_000 * SECOND;
    taken(100, now);
    assertThat(limit.balance(now)).isEqualTo(new LimitBalance(100, 0, 0));
    assertThat(take(1, now)).isEqualTo(new LimitAnswer.Wait(now + SECOND + WINDOW + GUARD));
  }

  @Test
  void ringWrappedAroundManyTimes_countsOnlyWhatCounts() {
    for (long cell = 0; cell < 1_000; cell++) {
      limit.charge(1, 0, EDGE + cell * SECOND + 60_000_000);
    }
    // 60 ms into a sub-cell, the 61st before it, which ended 60.06 s ago, no longer counts
    assertThat(limit.balance(EDGE + 999 * SECOND + 60_000_000).charged()).isEqualTo(61);
  }

  @Test
  void instantsSlightlyOutOfOrder_neverAdmitMore() {
    limit.resize(new LimitSpec.TrailingWindow(100, WINDOW, GUARD, 200), EDGE);
    taken(60, EDGE + 5);
    taken(40, EDGE - 5);
    assertThat(take(1, EDGE - 5)).isInstanceOf(LimitAnswer.Wait.class);
    assertThat(take(1, EDGE + 5)).isInstanceOf(LimitAnswer.Wait.class);
    // both count as if in the later sub-cell
    assertThat(take(1, EDGE + WINDOW + GUARD)).isInstanceOf(LimitAnswer.Wait.class);
    assertThat(take(100, EDGE + SECOND + WINDOW + GUARD)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void clockThatStepsFarBack_countsAllThatIsKept() {
    taken(60, EDGE + 500 * SECOND);
    assertThat(limit.room(EDGE)).isEqualTo(40);
    assertThat(limit.balance(EDGE).charged()).isEqualTo(60);
  }

  @Test
  void otherWindowLength_keepsAllThatIsOwedFromThenOn() {
    limit.take(new Weight(50, 20, 50), EDGE);
    long now = EDGE + 30 * SECOND;
    limit.resize(new LimitSpec.TrailingWindow(100, 12 * SECOND, GUARD, 100), now);
    assertThat(limit.balance(now)).isEqualTo(new LimitBalance(50, 0, 20));
    assertThat(limit.balance(now + SECOND / 5 + 12 * SECOND + GUARD))
        .isEqualTo(new LimitBalance(0, 0, 20));
  }

  @Test
  void smallerCapacity_waitsUntilEnoughHasGone() {
    taken(50, EDGE);
    taken(40, EDGE + 10 * SECOND);
    limit.resize(new LimitSpec.TrailingWindow(60, WINDOW, GUARD, 60), EDGE + 10 * SECOND);
    assertThat(limit.room(EDGE + 10 * SECOND)).isZero();
    assertThat(take(20, EDGE + 10 * SECOND))
        .isEqualTo(new LimitAnswer.Wait(EDGE + SECOND + WINDOW + GUARD));
    assertThat(take(21, EDGE + 10 * SECOND))
        .isEqualTo(new LimitAnswer.Wait(EDGE + 11 * SECOND + WINDOW + GUARD));
  }

  @Test
  void state_isSmall() {
    // design: a take may allocate the next state, at most 1 KiB
    taken(1, EDGE);
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    limit.charge(0, 0, EDGE);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int charge = 0; charge < 1_000; charge++) {
      limit.charge(0, 0, EDGE);
    }
    long each = (threads.getCurrentThreadAllocatedBytes() - before) / 1_000;
    assertThat(each).isLessThanOrEqualTo(1_024);
  }
}
