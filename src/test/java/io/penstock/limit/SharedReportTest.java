package io.penstock.limit;

import static io.penstock.limit.Slices.FIXED;
import static io.penstock.limit.Slices.GRID;
import static io.penstock.limit.Slices.SECOND;
import static io.penstock.limit.Slices.TRAILING;
import static io.penstock.limit.Slices.WINDOW;
import static io.penstock.limit.Slices.fixed;
import static io.penstock.limit.Slices.grant;
import static io.penstock.limit.Slices.hear;
import static io.penstock.limit.Slices.report;
import static io.penstock.limit.Slices.shared;
import static io.penstock.limit.Slices.taken;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of what a shared limit reports, records as lacking, and shows as left for all. */
class SharedReportTest {
  private static final long NOW = 4 * SECOND;
  private static final long MILLI = 1_000_000;
  private static final long END = 3 * SECOND + WINDOW;

  @Test
  void held_isReportedInEachWindowThatIsGranted() {
    Limit limit = fixed(50);
    taken(limit, new Weight(10, 30, 10), NOW);
    assertThat(limit.sharing().spendingReport(GRID, 7, 9, 0, NOW).counted())
        .containsExactly(new CellAmount(7, 40), new CellAmount(8, 30), new CellAmount(9, 30));
    assertThat(limit.sharing().spendingReport(GRID, 7, 6, 0, NOW).counted())
        .as("no cell ahead of the running one")
        .containsExactly(new CellAmount(7, 40), new CellAmount(8, 0), new CellAmount(9, 0));
  }

  @Test
  void heldOfATrailingWindow_isReportedInTheRunningCellAlone() {
    Limit limit = shared(TRAILING, NOW);
    CellGrid seconds = new CellGrid(100, 0, SECOND);
    limit.sharing().spendingReport(seconds, 0, 104, 100, NOW);
    grant(limit, 104, 50, NOW, NOW + SECOND);
    taken(limit, new Weight(10, 30, 10), NOW);
    assertThat(limit.sharing().spendingReport(seconds, 0, 107, 0, NOW).counted())
        .containsExactly(new CellAmount(104, 40));
  }

  @Test
  void heldOfADayOfWhichNoneFollowsYet_isReportedInThatAlone() {
    Limit limit = shared(new LimitSpec.Day(100, null, 0), 0);
    CellGrid day = new CellGrid(9, 0, LimitSpec.Day.NANOS, 0);
    limit.sharing().spendingReport(day, 9, 9, 100, 0);
    grant(limit, 9, 50, 0, NOW);
    taken(limit, new Weight(10, 30, 10), 1);
    assertThat(limit.sharing().spendingReport(day, 9, 12, 0, 1).counted())
        .containsExactly(new CellAmount(9, 40));
  }

  @Test
  void heldOfADayThatOthersFollow_isReportedInEachOfThem() {
    Limit limit = shared(new LimitSpec.Day(100, null, 0), 0);
    CellGrid days = new CellGrid(9, 0, LimitSpec.Day.NANOS, 3);
    limit.sharing().spendingReport(days, 9, 9, 100, 0);
    grant(limit, 9, 50, 0, NOW);
    taken(limit, new Weight(10, 30, 10), 1);
    assertThat(limit.sharing().spendingReport(days, 9, 12, 0, 1).counted())
        .containsExactly(new CellAmount(9, 40), new CellAmount(12, 30));
  }

  @Test
  void whatIsFree_isReportedForNowAndForLater() {
    Limit limit = shared(TRAILING, NOW);
    report(limit, 9, NOW);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(7, 20), new CellAmount(8, 25), new CellAmount(9, 15)),
            Slices.HEARD,
            cell -> new CellGrid.Span(NOW + (cell - 7) * SECOND, NOW + 3 * SECOND));
    assertThat(free(report(limit, 9, NOW))).isEqualTo(new Free(20, 40, 25));
    taken(limit, new Weight(4, 6, 4), NOW);
    SpendingReport spendingReport = report(limit, 9, NOW);
    assertThat(free(spendingReport)).isEqualTo(new Free(10, 28, 19));
    assertThat(spendingReport.spent()).isEqualTo(10);
    assertThat(free(report(limit, 9, NOW + SECOND))).isEqualTo(new Free(19, 9, 19));
  }

  @Test
  void sliceThatEnds_isFreeNoMoreFromThatInstantOn() {
    Limit limit = fixed(50);
    LimitState state = limit.state();
    assertThat(free(state.spendingReport(END - 1))).isEqualTo(new Free(50, 0, 50));
    assertThat(free(state.spendingReport(END))).isEqualTo(new Free(0, 0, 0));
  }

  private record Free(long now, long later, long most) {}

  private static Free free(SpendingReport spendingReport) {
    return new Free(
        spendingReport.usableNow(), spendingReport.usableLater(), spendingReport.largestUsable());
  }

  @Test
  void spent_isAllThatEverWas() {
    Limit limit = fixed(100);
    taken(limit, new Weight(10, 30, 10), NOW);
    limit.charge(35, 30, NOW);
    limit.charge(10, 20, NOW);
    assertThat(report(limit, 7, NOW).spent()).isEqualTo(45);
  }

  @Test
  void wholeLimitWaitedFor_isSaidToBeLacking() {
    AtomicInteger dry = new AtomicInteger();
    SliceDemand demand = new SliceDemand(dry::incrementAndGet);
    Limit limit = new Limit(FIXED, NOW);
    limit.sharing().share(demand, NOW);
    assertThat(limit.sharing().isAwaitingSlices(100, NOW)).isTrue();
    assertThat(limit.admittedAt(100, NOW)).isEqualTo(Ticker.NEVER);
    assertThat(demand.least()).isZero();
    limit.recordDemand(100, NOW);
    assertThat(demand.least()).isEqualTo(100);
    assertThat(dry).hasValue(1);
  }

  @Test
  void moreThanTheLimitHasOnItsOwn_isNotWhatSlicesLack() {
    Limit limit = fixed(0);
    limit.charge(1, 0, NOW);
    assertThat(limit.sharing().isAwaitingSlices(100, NOW)).isFalse();
    assertThat(limit.sharing().isAwaitingSlices(99, NOW)).isTrue();
  }

  @Test
  void paceAloneLacks_othersAreAskedForNothing() {
    SliceDemand demand = new SliceDemand(() -> {});
    Limit limit = new Limit(new LimitSpec.TrailingWindow(60, 6 * WINDOW, 0, 10), NOW);
    limit.sharing().share(demand, NOW);
    report(limit, 7, NOW);
    grant(limit, 7, 30, NOW, END);
    taken(limit, 10, NOW);
    assertThat(limit.admittedAt(20, NOW)).isGreaterThan(NOW);
    limit.recordDemand(20, NOW);
    assertThat(demand.least()).isZero();
    assertThat(demand.hasLater()).isFalse();
    limit.recordDemand(21, NOW);
    assertThat(demand.least()).isEqualTo(21);
  }

  @Test
  void sliceThatBeginsSoon_mayAsWellComeAtAnyMoment() {
    Limit limit = fixed(0);
    grant(limit, 7, 30, NOW, END);
    assertThat(limit.sharing().isAwaitingSlices(30, NOW - 20 * MILLI)).isTrue();
    assertThat(limit.sharing().isAwaitingSlices(30, NOW - 20 * MILLI - 1)).isFalse();
    assertThat(limit.sharing().isAwaitingSlices(31, NOW - 20 * MILLI - 1))
        .as("more than is granted")
        .isTrue();
  }

  @Test
  void sliceHeardOfAfterTheClockWasRead_beginsSoon() {
    Limit limit = fixed(0);
    hear(limit, 7, 30, new StoreReport(1_000, Long.MAX_VALUE, NOW, 0), NOW + 20 * MILLI, END);
    assertThat(limit.sharing().isAwaitingSlices(30, NOW - SECOND)).isTrue();
    hear(limit, 7, 0, new StoreReport(1_000, Long.MAX_VALUE, NOW - 1, 0), NOW + 20 * MILLI, END);
    assertThat(limit.sharing().isAwaitingSlices(30, NOW - SECOND)).isFalse();
  }

  private static Limit left(LimitSpec spec, CellGrid grid) {
    Limit limit = shared(spec, NOW);
    limit.sharing().spendingReport(grid, 7, 8, 100, NOW);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(7, 10), new CellAmount(8, 25)),
            new StoreReport(1_000, Long.MAX_VALUE, NOW, 0, false, 40, END),
            cell -> new CellGrid.Span(NOW + (cell - 7) * SECOND, END));
    return limit;
  }

  @Test
  void leftOfATrailingWindow_hasTheSlicesInItThatBeginLater() {
    assertThat(left(TRAILING, GRID).remainder(NOW)).isEqualTo(new LimitRemainder(75, END));
  }

  @Test
  void leftOfAWindowThatEnds_hasNoneOfTheNext() {
    assertThat(left(FIXED, GRID).remainder(NOW)).isEqualTo(new LimitRemainder(50, END));
    LimitSpec day = new LimitSpec.Day(100, null, 0);
    assertThat(left(day, new CellGrid(7, NOW, SECOND, 1)).remainder(NOW))
        .isEqualTo(new LimitRemainder(50, END));
  }

  @Test
  void leftOfPermits_saysNothingOfWhenTheyAreBack() {
    Limit limit = shared(new LimitSpec.Concurrency(100), NOW);
    hear(limit, 0, 10, new StoreReport(1_000, Long.MAX_VALUE, NOW, 0, false, 40, END), NOW, END);
    assertThat(limit.remainder(NOW)).isEqualTo(new LimitRemainder(50, NOW));
  }

  @Test
  void leftOfSlots_hasNoneThatBeginLater() {
    Limit limit = shared(new LimitSpec.Strict(new ExactRate(10, 1), 0), NOW);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(100, 1)),
            new StoreReport(1, Long.MAX_VALUE, NOW, 0, false, 0, END),
            cell -> new CellGrid.Span(NOW + SECOND, END));
    assertThat(limit.remainder(NOW)).isEqualTo(new LimitRemainder(0, END));
  }

  @Test
  void leftOfABucket_growsFromWhenItWasHeard() {
    Limit limit = shared(new LimitSpec.TokenBucket(new ExactRate(10, 1), 100), NOW);
    StoreReport storeReport =
        new StoreReport(1_000, Long.MAX_VALUE, NOW, 0, false, 20, NOW + 8 * SECOND);
    hear(limit, CellPartition.OUT, 0, storeReport, NOW, END);
    assertThat(limit.remainder(NOW).amount()).isEqualTo(20);
    assertThat(limit.remainder(NOW + 2 * SECOND).amount()).isEqualTo(40);
    assertThat(limit.remainder(NOW + 6 * SECOND).amount()).isEqualTo(80);
  }
}
