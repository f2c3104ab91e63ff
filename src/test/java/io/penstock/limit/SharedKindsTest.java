package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of shared limits that are not windows. */
class SharedKindsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long DAY = LimitSpec.Day.NANOS;
  private static final CellGrid MINUTES = new CellGrid(7, 0, 60 * SECOND);

  private final AtomicInteger dry = new AtomicInteger();

  private Limit shared(LimitSpec spec) {
    Limit limit = new Limit(spec, 0);
    limit.sharing().share(new SliceDemand(dry::incrementAndGet), 0);
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

  private static boolean takes(Limit limit, long amount, long now) {
    return limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt;
  }

  private static List<CellAmount> counted(Limit limit, CellGrid grid, long oldest, long now) {
    return limit.sharing().spendingReport(grid, oldest, oldest, 1_000, now).counted();
  }

  @Test
  void day_endsWithItsCellWhateverTheOwnClockSays() {
    Limit limit = shared(new LimitSpec.Day(100, null, 0));
    CellGrid grid = new CellGrid(40, -5 * SECOND, 10 * SECOND, 3);
    counted(limit, grid, 40, 0);
    grant(limit, 40, 100, 0, 5 * SECOND);
    assertThat(takes(limit, 100, SECOND)).isTrue();
    assertThat(limit.take(Weight.exactly(1), 2 * SECOND))
        .isEqualTo(new LimitAnswer.Wait(5 * SECOND));
    counted(limit, new CellGrid(43, 5 * SECOND, DAY, 3), 43, 5 * SECOND);
    grant(limit, 43, 60, 5 * SECOND, 7 * SECOND);
    assertThat(limit.balance(5 * SECOND).charged()).isZero();
    assertThat(takes(limit, 60, 5 * SECOND)).isTrue();
    assertThat(counted(limit, new CellGrid(43, 5 * SECOND, DAY, 3), 43, 6 * SECOND))
        .containsExactly(new CellAmount(43, 60));
  }

  @Test
  void chargedBeforeAnyDayRuns_countsInTheFirstThatDoes() {
    Limit limit = shared(new LimitSpec.Day(100, null, 0));
    assertThat(counted(limit, CellGrid.none(0), 5, 0)).isEmpty();
    limit.charge(30, 0, 1);
    assertThat(counted(limit, CellGrid.none(1), 5, 2)).isEmpty();
    grant(limit, 9, 50, 2, 9 * SECOND);
    assertThat(limit.room(3)).isEqualTo(20);
    assertThat(counted(limit, new CellGrid(9, 1, DAY, 0), 9, 4))
        .containsExactly(new CellAmount(9, 50));
  }

  @Test
  void dayThatEnded_countsNothingMoreInIt() {
    Limit limit = shared(new LimitSpec.Day(100, null, 0));
    CellGrid grid = new CellGrid(9, 0, DAY, 0);
    counted(limit, grid, 9, 0);
    grant(limit, 9, 100, 0, 2 * SECOND);
    takes(limit, 10, 1);
    limit.charge(5, 0, DAY);
    grant(limit, 1_000, 50, DAY, DAY + SECOND);
    assertThat(limit.room(DAY)).isEqualTo(45);
  }

  /** Otherwise the endpoint's thread would look for a ticket to release for ever. */
  @Test
  void twoDaysOverlap_theLaterIsSpent_andLimitOpensOnlyWhenThatHasRoom() {
    Limit limit = shared(new LimitSpec.Day(100, null, 0));
    grant(limit, 9, 50, 0, 2 * SECOND);
    takes(limit, 10, 1);
    grant(limit, 1_000, 20, SECOND, 3 * SECOND);
    assertThat(takes(limit, 20, SECOND)).isTrue();
    assertThat(limit.room(SECOND)).isZero();
    assertThat(limit.roomFreeAt(1, SECOND)).isGreaterThan(SECOND);
    assertThat(takes(limit, 1, SECOND)).as("more than the later day has").isFalse();
  }

  @Test
  void twoDaysOverlap_theEarlierIsSpentAgainWhenTheLaterEnds() {
    Limit limit = shared(new LimitSpec.Day(100, null, 0));
    grant(limit, 9, 50, 0, 4 * SECOND);
    takes(limit, 10, 1);
    StoreReport storeReport = new StoreReport(100, Long.MAX_VALUE, 0, 0);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(1_000, 20)),
            storeReport,
            cell -> new CellGrid.Span(0, (cell == 9 ? 4 : 2) * SECOND));
    assertThat(takes(limit, 20, SECOND)).isTrue();
    assertThat(limit.roomFreeAt(1, SECOND)).isEqualTo(2 * SECOND);
    assertThat(limit.room(2 * SECOND)).isEqualTo(40);
  }

  @Test
  void nothingIsAskedFor_noSliceIsNeeded() {
    Limit limit = shared(new LimitSpec.TokenBucket(new ExactRate(10, 1), 100));
    assertThat(limit.room(1)).isZero();
    assertThat(limit.roomFreeAt(0, 1)).isLessThanOrEqualTo(1);
    assertThat(limit.roomFreeAt(1, 1)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void slots_areUsedOnceEachWhenTheyBegin() {
    Limit limit = shared(new LimitSpec.Strict(new ExactRate(10, 1), 0));
    limit.sharing().spendingReport(CellGrid.none(0), 0, 0, 10, 0);
    assertThat(limit.admittedAt(1, 0)).isEqualTo(Ticker.NEVER);
    assertThat(dry).hasValue(0);
    limit.recordDemand(1, 0);
    assertThat(dry).hasValue(1);
    StoreReport storeReport = new StoreReport(1, Long.MAX_VALUE, 0, 0);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(100, 1), new CellAmount(300, 1)),
            storeReport,
            cell -> new CellGrid.Span(cell * SECOND, cell * SECOND + 10));
    assertThat(limit.admittedAt(1, 0)).isEqualTo(100 * SECOND);
    assertThat(takes(limit, 1, 100 * SECOND - 1)).isFalse();
    assertThat(takes(limit, 1, 100 * SECOND)).isTrue();
    assertThat(limit.take(Weight.exactly(1), 100 * SECOND))
        .isEqualTo(new LimitAnswer.Wait(300 * SECOND));
    assertThat(limit.admittedAt(1, 300 * SECOND + 10)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void slotsTogether_areUsedOneByOne() {
    Limit limit = shared(new LimitSpec.Strict(new ExactRate(1_000, 1), 0));
    grant(limit, 100, 3, 10, 20);
    assertThat(takes(limit, 1, 10)).isTrue();
    assertThat(takes(limit, 1, 11)).isTrue();
    assertThat(takes(limit, 1, 12)).isTrue();
    assertThat(takes(limit, 1, 13)).isFalse();
  }

  @Test
  void tokens_areOutUntilTheyAreSpentInAMinute() {
    Limit limit = shared(new LimitSpec.TokenBucket(new ExactRate(1, 1), 50));
    counted(limit, MINUTES, 0, 0);
    grant(limit, CellPartition.OUT, 30, 0, 90 * SECOND);
    assertThat(takes(limit, 10, SECOND)).isTrue();
    assertThat(counted(limit, MINUTES, 0, SECOND))
        .containsExactly(new CellAmount(7, 10), new CellAmount(CellPartition.OUT, 20));
    assertThat(takes(limit, 15, 60 * SECOND)).isTrue();
    assertThat(counted(limit, MINUTES, 0, 60 * SECOND))
        .containsExactly(
            new CellAmount(7, 10), new CellAmount(8, 15), new CellAmount(CellPartition.OUT, 5));
    assertThat(counted(limit, MINUTES, 0, 90 * SECOND))
        .containsExactly(
            new CellAmount(7, 10), new CellAmount(8, 15), new CellAmount(CellPartition.OUT, 0));
  }

  @Test
  void tokensGivenBack_areOutAgainUnlessTheyWereFilledIn() {
    Limit limit = shared(new LimitSpec.TokenBucket(new ExactRate(1, 1), 50));
    counted(limit, MINUTES, 0, 0);
    grant(limit, CellPartition.OUT, 30, 0, 90 * SECOND);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(Weight.exactly(10), SECOND);
    limit.giveBack(receipt, 4, 0, 2 * SECOND);
    assertThat(limit.room(2 * SECOND)).isEqualTo(24);
    limit.giveBack(receipt, 6, 0, 50 * SECOND);
    assertThat(limit.room(50 * SECOND)).isEqualTo(24);
  }

  @Test
  void tokensHeld_areOutWhileTheyAre() {
    Limit limit = shared(new LimitSpec.TokenBucket(new ExactRate(1, 1), 50));
    counted(limit, MINUTES, 0, 0);
    grant(limit, CellPartition.OUT, 30, 0, 2 * SECOND);
    limit.take(new Weight(5, 10, 5), 1);
    assertThat(limit.room(1)).isEqualTo(15);
    assertThat(counted(limit, MINUTES, 0, 2 * SECOND))
        .containsExactly(new CellAmount(7, 5), new CellAmount(CellPartition.OUT, 10));
    limit.charge(10, 10, 3 * SECOND);
    assertThat(counted(limit, MINUTES, 0, 4 * SECOND))
        .containsExactly(new CellAmount(7, 15), new CellAmount(CellPartition.OUT, 0));
  }

  @Test
  void deniedWhatItLacks_waitsForTheEndOfTheCell_asLongAsThatIsKnown() {
    Limit limit = shared(new LimitSpec.FixedWindow(100, 60 * SECOND));
    counted(limit, MINUTES, 7, 0);
    assertThat(limit.sharing().isAwaitingSlices(20, 1)).isTrue();
    limit
        .sharing()
        .addSlices(List.of(), new StoreReport(100, 20, 0, 2 * SECOND), any -> CellGrid.Span.NEVER);
    assertThat(limit.sharing().isAwaitingSlices(20, SECOND)).isFalse();
    assertThat(limit.sharing().isAwaitingSlices(19, SECOND)).isTrue();
    assertThat(limit.decide(Weight.exactly(20), SECOND))
        .isEqualTo(new LimitAnswer.Wait(60 * SECOND));
    assertThat(limit.admittedAt(20, SECOND)).isEqualTo(Ticker.NEVER);
    assertThat(limit.sharing().isAwaitingSlices(20, 2 * SECOND)).isTrue();
  }

  @Test
  void permitGivenBackAfterItsLease_isNotHadAgainUntilMoreAreGranted() {
    Limit limit = shared(new LimitSpec.Concurrency(10));
    grant(limit, 0, 1, 0, 2 * SECOND);
    LimitAnswer taken = limit.take(Weight.exactly(1), SECOND);
    renew(limit, SECOND, 3 * SECOND);
    long late = 4 * SECOND;
    limit.giveBack((LimitAnswer.Receipt) taken, 1, 0, late);
    renew(limit, late, 6 * SECOND);
    assertThat(takes(limit, 1, late)).isFalse();
    assertThat(counted(limit, new CellGrid(0, 0, Long.MAX_VALUE), 0, late))
        .containsExactly(new CellAmount(0, 0));
    grant(limit, 0, 1, late, 6 * SECOND);
    assertThat(takes(limit, 1, late)).isTrue();
  }

  @Test
  void permitGivenBackInItsLease_isHadAgainAtOnce() {
    Limit limit = shared(new LimitSpec.Concurrency(10));
    grant(limit, 0, 1, 0, 2 * SECOND);
    LimitAnswer taken = limit.take(Weight.exactly(1), SECOND);
    renew(limit, SECOND, 3 * SECOND);
    long late = 3 * SECOND - 1;
    limit.giveBack((LimitAnswer.Receipt) taken, 1, 0, late);
    assertThat(takes(limit, 1, late)).isTrue();
  }

  /** Applies a report that grants nothing more. */
  private static void renew(Limit limit, long from, long until) {
    StoreReport storeReport = new StoreReport(100, Long.MAX_VALUE, 0, 0);
    limit.sharing().addSlices(List.of(), storeReport, any -> new CellGrid.Span(from, until));
  }
}
