package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;

class SlidingWindowTest extends LimitContract {
  private static final long WINDOW = 10 * SECOND;

  private final Limit limit = of(3);

  private static Limit of(long capacity) {
    return new Limit(new LimitSpec.SlidingWindow(capacity, WINDOW), START);
  }

  @Override
  Limit limit() {
    return of(150);
  }

  @Override
  long largest() {
    return 40;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.SlidingWindow(1_000, WINDOW);
  }

  private LimitAnswer take(long amount, long now) {
    return limit.take(Weight.exactly(amount), now);
  }

  private LimitAnswer.Receipt taken(long amount, long now) {
    return (LimitAnswer.Receipt) take(amount, now);
  }

  @Test
  void windowFull_nextGoesExactlyAWindowAfterTheOldest() {
    taken(1, START);
    taken(1, START + 7);
    taken(1, START + SECOND);
    assertThat(take(1, START + SECOND)).isEqualTo(new LimitAnswer.Wait(START + WINDOW));
    assertThat(take(1, START + WINDOW - 1)).isEqualTo(new LimitAnswer.Wait(START + WINDOW));
    taken(1, START + WINDOW);
    assertThat(take(1, START + WINDOW)).isEqualTo(new LimitAnswer.Wait(START + WINDOW + 7));
    assertThat(take(2, START + WINDOW)).isEqualTo(new LimitAnswer.Wait(START + WINDOW + SECOND));
  }

  @Test
  void givenBack_theVeryInstantCountsNoMore() {
    taken(1, START);
    LimitAnswer.Receipt second = taken(1, START + 5);
    taken(1, START + 9);
    limit.giveBack(second, 1, 0, START + 10);
    taken(1, START + 10);
    assertThat(take(2, START + 10)).isEqualTo(new LimitAnswer.Wait(START + WINDOW + 9));
  }

  @Test
  void givenBackAfterItCounted_changesNothing() {
    LimitAnswer.Receipt first = taken(1, START);
    taken(3, START + WINDOW);
    limit.giveBack(first, 1, 0, START + WINDOW);
    assertThat(limit.balance(START + WINDOW)).isEqualTo(new LimitBalance(3, 0, 0));
  }

  @Test
  void chargedAboveTheCapacity_blocksForAWindowAndNoLonger() {
    limit.charge(1_000_000, 0, START);
    assertThat(limit.room(START + WINDOW - 1)).isZero();
    assertThat(limit.admittedAt(3, START)).isEqualTo(START + WINDOW);
    assertThat(limit.balance(START + WINDOW)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void capacityDownAndUpAgain_historyIsKept() {
    taken(1, START);
    taken(2, START + SECOND);
    limit.resize(new LimitSpec.SlidingWindow(1, WINDOW), START + SECOND);
    assertThat(take(1, START + WINDOW)).isEqualTo(new LimitAnswer.Wait(START + WINDOW + SECOND));
    limit.resize(new LimitSpec.SlidingWindow(4, WINDOW), START + WINDOW);
    assertThat(limit.balance(START + WINDOW)).isEqualTo(new LimitBalance(2, 0, 0));
    taken(2, START + WINDOW);
    assertThat(take(1, START + WINDOW)).isEqualTo(new LimitAnswer.Wait(START + WINDOW + SECOND));
  }

  @Test
  void otherWindowOrManyMore_startsWithWhatCounts() {
    taken(3, START);
    limit.resize(new LimitSpec.SlidingWindow(3, SECOND), START + 5);
    assertThat(take(1, START + 5)).isEqualTo(new LimitAnswer.Wait(START + 5 + SECOND));
    limit.resize(new LimitSpec.SlidingWindow(5_000, SECOND), START + 6);
    assertThat(limit.balance(START + 6)).isEqualTo(new LimitBalance(3, 0, 0));
    assertThat(limit.spec()).isEqualTo(new LimitSpec.SlidingWindow(5_000, SECOND));
    limit.resize(new LimitSpec.SlidingWindow(3, SECOND), START + 7);
    assertThat(limit.balance(START + 7)).isEqualTo(new LimitBalance(3, 0, 0));
  }

  @Test
  void held_isKeptFreeUntilItIsLetGo() {
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(new Weight(1, 1, 1), START);
    taken(1, START);
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + WINDOW));
    assertThat(take(3, START)).isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    limit.giveBack(receipt, 0, 1, START);
    taken(1, START);
  }

  @Test
  void instantsSlightlyOutOfOrder_countAsTheNewest() {
    taken(1, START + 100);
    assertThat(taken(1, START).cell()).isEqualTo(START + 100);
    taken(1, START + 50);
    assertThat(take(1, START + 60)).isEqualTo(new LimitAnswer.Wait(START + WINDOW + 100));
  }

  @Test
  void moreChargedThanIsRemembered_theOldestAreForgotten() {
    limit.charge(4_000, 0, START);
    limit.charge(200, 0, START + 1);
    assertThat(limit.cells(START + 1))
        .containsExactly(new ChargedCell(START, 3_896), new ChargedCell(START + 1, 200));
    limit.charge(1, 0, START + 2);
    assertThat(limit.balance(START + 2)).isEqualTo(new LimitBalance(4_096, 0, 0));
  }

  @Test
  void asManyAsAreRemembered_countToTheNanosecond() {
    for (Limit most : new Limit[] {of(SlidingWindowState.MOST_INSTANTS), of(3)}) {
      most.take(Weight.exactly(3), START);
      most.resize(new LimitSpec.SlidingWindow(4_096, WINDOW), START + 7);
      assertThat(most.admittedAt(4_096, START + 7)).isEqualTo(START + WINDOW);
      assertThat(most.room(START + WINDOW)).isEqualTo(Long.MAX_VALUE);
    }
  }
}
