package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests of a trailing window at the ends of its sub-cells, its pace, its memory and what a provider
 * states.
 */
class TrailingBoundsTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long WINDOW = 60 * SECOND;
  private static final long GUARD = 50_000_000;

  /** The start of a sub-cell; sub-cells are whole seconds. */
  private static final long EDGE = 2_000 * SECOND;

  private static final long TWO_MINUTES = 120 * SECOND;

  private static LimitSpec.TrailingWindow spec(long capacity, long guardNanos, long burst) {
    return new LimitSpec.TrailingWindow(capacity, WINDOW, guardNanos, burst);
  }

  private static LimitAnswer.Receipt taken(Limit limit, long amount, long now) {
    return (LimitAnswer.Receipt) limit.take(Weight.exactly(amount), now);
  }

  @Test
  void givenBackAtTheLastInstantItCounts_isBack() {
    Limit limit = new Limit(spec(100, GUARD, 100), EDGE);
    LimitAnswer.Receipt receipt = taken(limit, 60, EDGE);
    long last = EDGE + SECOND + WINDOW + GUARD - 1;
    limit.giveBack(receipt, 20, 0, last);
    assertThat(limit.balance(last).charged()).isEqualTo(40);
  }

  /** The ring has 62 sub-cells, so the newest sub-cell takes the place of a sub-cell that old. */
  @Test
  void givenBackToASubCellThatWasOverwritten_givesTheNewestNothing() {
    Limit limit = new Limit(spec(100, GUARD, 100), EDGE);
    LimitAnswer.Receipt first = taken(limit, 40, EDGE);
    LimitAnswer.Receipt second = taken(limit, 10, EDGE + SECOND);
    long newest = EDGE + 62 * SECOND;
    taken(limit, 50, newest);
    limit.giveBack(first, 40, 0, EDGE);
    assertThat(limit.balance(newest).charged()).isEqualTo(60);
    limit.giveBack(second, 10, 0, EDGE);
    assertThat(limit.balance(newest).charged()).isEqualTo(50);
  }

  @Test
  void widestWindowOfALongGuard_nothingThatCountsIsOverwritten() {
    Limit limit = new Limit(spec(100, 10 * SECOND, 100), EDGE);
    limit.feedback().widen(TrailingWindowState.MAX_EXTRA_GUARD_NANOS);
    taken(limit, 40, EDGE);
    long last = EDGE + SECOND + WINDOW + 10 * SECOND + SECOND / 2 - 1;
    taken(limit, 1, last);
    assertThat(limit.balance(last).charged()).isEqualTo(41);
    assertThat(limit.balance(last + 1).charged()).isEqualTo(1);
  }

  @Test
  void moreThanIsNotHeld_neverOpensByItself() {
    Limit limit = new Limit(spec(100, GUARD, 100), EDGE);
    limit.take(new Weight(10, 60, 10), EDGE);
    assertThat(limit.roomFreeAt(30, EDGE)).isEqualTo(EDGE);
    assertThat(limit.roomFreeAt(40, EDGE)).isEqualTo(EDGE + SECOND + WINDOW + GUARD);
    assertThat(limit.roomFreeAt(41, EDGE)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void usageFarAboveTheLimit_burstIsWholeAWindowAndItsOwnTimeLater() {
    Limit limit = new Limit(spec(600, GUARD, 50), EDGE);
    limit.charge(1L << 40, 0, EDGE);
    assertThat(limit.paceAllowsAt(50, EDGE)).isEqualTo(EDGE + WINDOW + 5 * SECOND);
    assertThat(limit.paceAllowsAt(1, EDGE)).isEqualTo(EDGE + WINDOW + SECOND / 10);
  }

  @Test
  void largerCapacityWithTheSameBurst_whatIsOwedComesBackAtTheNewRate() {
    Limit limit = new Limit(spec(600, GUARD, 50), EDGE);
    taken(limit, 50, EDGE);
    limit.resize(spec(1_200, GUARD, 50), EDGE);
    assertThat(limit.paceAllowsAt(50, EDGE)).isEqualTo(EDGE + 5 * SECOND / 2);
    assertThat(limit.paceAllowsAt(1, EDGE)).isEqualTo(EDGE + SECOND / 20);
  }

  @Test
  void sameCapacityWithALargerBurst_whatIsOwedStays() {
    Limit limit = new Limit(spec(600, GUARD, 50), EDGE);
    taken(limit, 50, EDGE);
    limit.resize(spec(600, GUARD, 80), EDGE);
    assertThat(limit.paceAllowsAt(30, EDGE)).isEqualTo(EDGE);
    assertThat(limit.paceAllowsAt(31, EDGE)).isEqualTo(EDGE + SECOND / 10);
  }

  /**
   * The burst is ten, then one each 0.6 s: the ten may have been used before the remembered time.
   */
  @Test
  void restored_paceIsThatOfABurstUsedBeforeAllThatCounts() {
    List<ChargedCell> cells = List.of(new ChargedCell(EDGE - WINDOW + SECOND, 95));
    Limit limit = Limit.restored(spec(100, 0, 10), cells, EDGE, EDGE);
    assertThat(limit.paceAllowsAt(10, EDGE)).isEqualTo(EDGE + 3 * SECOND);
    assertThat(limit.room(EDGE)).isEqualTo(5);
  }

  @Test
  void restoredWithWhatCountsNoMore_isNotSlowedByIt() {
    List<ChargedCell> cells = List.of(new ChargedCell(EDGE - WINDOW, 95));
    Limit limit = Limit.restored(spec(100, 0, 10), cells, EDGE, EDGE);
    assertThat(limit.admittedAt(10, EDGE)).isEqualTo(EDGE);
    assertThat(limit.room(EDGE)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void toldTheVeryLimitThatIsConfigured_nothingIsLowered() {
    Limit limit = new Limit(spec(1_000, 0, 1_000), EDGE);
    long mark = taken(limit, 1, EDGE).totalTaken();
    limit
        .feedback()
        .applyNotice(
            new ProviderNotice(mark, EDGE, 1_000, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED),
            EDGE);
    assertThat(limit.feedback().restoredAt(EDGE)).isEqualTo(EDGE);
    limit
        .feedback()
        .applyNotice(
            new ProviderNotice(mark, EDGE, 999, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED),
            EDGE);
    assertThat(limit.feedback().restoredAt(EDGE)).isEqualTo(EDGE + TWO_MINUTES);
  }

  @Test
  void configuredAsItWasLowered_isLoweredNoMore() {
    Limit limit = new Limit(spec(1_000, 0, 1_000), EDGE);
    long mark = taken(limit, 1, EDGE).totalTaken();
    limit
        .feedback()
        .applyNotice(
            new ProviderNotice(mark, EDGE, 700, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED),
            EDGE);
    limit.resize(spec(701, 0, 701), EDGE);
    assertThat(limit.feedback().restoredAt(EDGE)).isEqualTo(EDGE + TWO_MINUTES);
    limit.resize(spec(700, 0, 700), EDGE);
    assertThat(limit.feedback().restoredAt(EDGE)).isEqualTo(EDGE);
    assertThat(limit.capacity(EDGE)).isEqualTo(700);
  }
}
