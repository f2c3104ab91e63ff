package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SlicedLimitTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 10 * SECOND;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, WINDOW);
  private static final CellGrid GRID = new CellGrid(7, 0, WINDOW);

  private final AtomicInteger dry = new AtomicInteger();
  private final SliceDemand demand = new SliceDemand(dry::incrementAndGet);

  private Limit shared(LimitSpec spec) {
    Limit limit = new Limit(spec, 0);
    limit.sharing().share(demand, 0);
    return limit;
  }

  private static void grant(Limit limit, long cell, long amount, long from, long until) {
    StoreReport storeReport = new StoreReport(100, Long.MAX_VALUE, 0, 0);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(cell, amount)),
            storeReport,
            any -> new CellGrid.Span(from, until));
  }

  private static List<CellAmount> counted(Limit limit, long now) {
    long cell = GRID.cellAt(now);
    return limit.sharing().spendingReport(GRID, cell, cell, 1_000, now).counted();
  }

  private static boolean takes(Limit limit, long amount, long now) {
    return limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt;
  }

  @Test
  void nothingGranted_waitsForAWakeUpAndSaysSoOnce() {
    Limit limit = shared(FIXED);
    assertThat(limit.take(Weight.exactly(30), 1)).isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    assertThat(limit.take(Weight.exactly(20), 2)).isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    assertThat(limit.sharing().isAwaitingSlices(20, 2)).isTrue();
    assertThat(dry).hasValue(1);
    assertThat(demand.least()).isEqualTo(20);
    assertThat(limit.utilization(2)).isZero();
  }

  @Test
  void granted_passesWhatWasGrantedWhileItLasts() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    grant(limit, 7, 50, SECOND, 3 * SECOND);
    assertThat(limit.take(Weight.exactly(30), 0)).isEqualTo(new LimitAnswer.Wait(SECOND));
    assertThat(takes(limit, 30, SECOND)).isTrue();
    assertThat(takes(limit, 30, SECOND)).isFalse();
    assertThat(takes(limit, 20, 3 * SECOND)).isFalse();
    assertThat(takes(limit, 20, 3 * SECOND - 1)).isTrue();
    assertThat(limit.balance(3 * SECOND).charged()).isEqualTo(50);
  }

  @Test
  void reported_isWhatMayStillBeSpentUntilItEnds() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    grant(limit, 7, 50, 0, 3 * SECOND);
    takes(limit, 20, SECOND);
    assertThat(counted(limit, SECOND)).containsExactly(new CellAmount(7, 50));
    assertThat(counted(limit, 3 * SECOND)).containsExactly(new CellAmount(7, 20));
  }

  @Test
  void givenBackWhileItsCellRuns_isSpentAgain() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    grant(limit, 7, 50, 0, 3 * SECOND);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(Weight.exactly(50), 1);
    limit.giveBack(receipt, 20, 0, 2);
    assertThat(limit.room(3)).isEqualTo(20);
    assertThat(counted(limit, 3 * SECOND)).containsExactly(new CellAmount(7, 30));
  }

  @Test
  void chargedBeyondTheSlice_isReportedInTheRunningCell() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    grant(limit, 7, 50, 0, 3 * SECOND);
    limit.charge(70, 0, 1);
    assertThat(limit.room(2)).isZero();
    assertThat(counted(limit, 2)).containsExactly(new CellAmount(7, 70));
  }

  @Test
  void debt_isSpentInTheCellsThatPayIt() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    limit.charge(230, 0, 1);
    assertThat(counted(limit, 2)).containsExactly(new CellAmount(7, 100));
    assertThat(counted(limit, WINDOW)).containsExactly(new CellAmount(8, 100));
    assertThat(counted(limit, 2 * WINDOW)).containsExactly(new CellAmount(9, 30));
    assertThat(counted(limit, 3 * WINDOW)).isEmpty();
  }

  @Test
  void held_isKeptFreeInEachCell() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    grant(limit, 7, 50, 0, 3 * SECOND);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(new Weight(10, 30, 10), 1);
    assertThat(limit.room(2)).isEqualTo(10);
    assertThat(counted(limit, WINDOW)).containsExactly(new CellAmount(8, 30));
    limit.giveBack(receipt, 0, 30, WINDOW + 1);
    assertThat(counted(limit, WINDOW + 2)).containsExactly(new CellAmount(8, 0));
  }

  @Test
  void keptLess_givesUpWhatIsFree() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    grant(limit, 7, 50, 0, 3 * SECOND);
    takes(limit, 20, 1);
    assertThat(limit.sharing().spendingReport(GRID, 7, 7, 5, 2).counted())
        .containsExactly(new CellAmount(7, 25));
    assertThat(limit.room(2)).isEqualTo(5);
  }

  @Test
  void dropped_passesNothingMore() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    grant(limit, 7, 50, 0, 3 * SECOND);
    takes(limit, 20, 1);
    limit.sharing().dropSlices();
    assertThat(takes(limit, 1, 2)).isFalse();
    assertThat(counted(limit, 2)).containsExactly(new CellAmount(7, 20));
  }

  @Test
  void permits_areOutUntilTheyAreGivenBack() {
    Limit limit = shared(new LimitSpec.Concurrency(10));
    CellGrid endless = new CellGrid(0, 0, Long.MAX_VALUE);
    limit.sharing().spendingReport(endless, 0, 0, 10, 0);
    grant(limit, 0, 3, 0, 2 * SECOND);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(new Weight(0, 2, 0), 1);
    assertThat(limit.room(2)).isEqualTo(1);
    assertThat(limit.room(2 * SECOND)).isZero();
    assertThat(limit.sharing().spendingReport(endless, 0, 0, 10, 2 * SECOND).counted())
        .containsExactly(new CellAmount(0, 2));
    limit.giveBack(receipt, 0, 2, 3 * SECOND);
    assertThat(limit.sharing().spendingReport(endless, 0, 0, 10, 3 * SECOND).counted())
        .containsExactly(new CellAmount(0, 0));
  }

  private static void heard(Limit limit, long amount, long left, long until) {
    StoreReport storeReport = new StoreReport(100, Long.MAX_VALUE, 0, 0, false, left, until);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(7, amount)),
            storeReport,
            any -> new CellGrid.Span(0, 3 * SECOND));
  }

  @Test
  void leftBeforeAnythingWasHeard_isTheWindowAlone() {
    Limit limit = shared(FIXED);
    assertThat(limit.remainder(1)).isEqualTo(new LimitRemainder(100, 1));
    counted(limit, 0);
    limit.charge(30, 0, 1);
    assertThat(limit.remainder(2)).isEqualTo(new LimitRemainder(70, WINDOW));
  }

  @Test
  void left_isWhatNobodyHasAndTheSlicesHere_untilTheWindowIsOver() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    heard(limit, 20, 50, WINDOW);
    assertThat(limit.remainder(1)).isEqualTo(new LimitRemainder(70, WINDOW));
    assertThat(limit.room(1)).as("what may be taken").isEqualTo(20);
    takes(limit, 15, 1);
    assertThat(limit.remainder(1)).isEqualTo(new LimitRemainder(55, WINDOW));
    limit.charge(15, 0, 1);
    assertThat(limit.remainder(2))
        .as("more was spent than granted")
        .isEqualTo(new LimitRemainder(40, WINDOW));
    assertThat(limit.remainder(WINDOW)).isEqualTo(new LimitRemainder(100, WINDOW));
  }

  @Test
  void left_isNeverBelowZeroNorAboveTheWindowAlone() {
    Limit limit = shared(FIXED);
    counted(limit, 0);
    heard(limit, 20, 0, WINDOW);
    limit.charge(25, 0, 1);
    assertThat(limit.remainder(2)).isEqualTo(new LimitRemainder(0, WINDOW));
    heard(limit, 20, 90, WINDOW);
    assertThat(limit.remainder(2)).isEqualTo(new LimitRemainder(75, WINDOW));
  }

  @Test
  void leftOfABucket_growsUntilItIsFull() {
    Limit limit = shared(new LimitSpec.TokenBucket(new ExactRate(10, 1), 100));
    heard(limit, 0, 20, 8 * SECOND);
    assertThat(limit.remainder(0)).isEqualTo(new LimitRemainder(20, 8 * SECOND));
    assertThat(limit.remainder(4 * SECOND)).isEqualTo(new LimitRemainder(60, 8 * SECOND));
    assertThat(limit.remainder(8 * SECOND)).isEqualTo(new LimitRemainder(100, 8 * SECOND));
  }

  @Test
  void limitThatIsIdleHere_isAsGoodAsNew_andAsksOthersForNothing() {
    Limit limit = shared(FIXED);
    assertThat(limit.fullyFreeAt(SECOND)).isEqualTo(SECOND);
    grant(limit, 7, 30, 0, WINDOW);
    counted(limit, SECOND);
    assertThat(takes(limit, 10, SECOND)).isTrue();
    assertThat(limit.fullyFreeAt(SECOND)).isEqualTo(WINDOW);
    limit
        .sharing()
        .cutOff(new OutageCap.Shut(Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "away")), 0);
    assertThat(limit.fullyFreeAt(WINDOW)).isEqualTo(WINDOW);
    assertThat(dry).hasValue(0);
    assertThat(demand.least()).isZero();
  }
}
