package io.penstock.limit;

import static io.penstock.limit.Slices.FIXED;
import static io.penstock.limit.Slices.GRID;
import static io.penstock.limit.Slices.SECOND;
import static io.penstock.limit.Slices.TRAILING;
import static io.penstock.limit.Slices.WINDOW;
import static io.penstock.limit.Slices.fixed;
import static io.penstock.limit.Slices.grant;
import static io.penstock.limit.Slices.report;
import static io.penstock.limit.Slices.shared;
import static io.penstock.limit.Slices.taken;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of how a shared limit spends, reserves and gives back what it was granted. */
class SharedSpendingTest {
  private static final long NOW = 4 * SECOND;
  private static final LimitSpec DAY = new LimitSpec.Day(100, null, 0);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  @Test
  void twoThatHold_keepBothFree_untilEachLetsGo() {
    Limit limit = fixed(80);
    LimitAnswer.Receipt first = taken(limit, new Weight(0, 20, 0), NOW);
    taken(limit, new Weight(0, 30, 0), NOW);
    assertThat(limit.room(NOW)).isEqualTo(30);
    limit.giveBack(first, 0, 20, NOW);
    assertThat(limit.room(NOW)).isEqualTo(50);
    limit.charge(5, 10, NOW);
    assertThat(limit.room(NOW)).isEqualTo(55);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(5, 0, 20));
  }

  @Test
  void heldBeforeItWasShared_isKeptFreeOfWhatIsGranted() {
    Limit limit = new Limit(TRAILING, NOW);
    taken(limit, new Weight(0, 30, 0), NOW);
    limit.sharing().share(new SliceDemand(() -> {}), NOW);
    grant(limit, 7, 50, NOW, NOW + SECOND);
    assertThat(limit.room(NOW)).isEqualTo(20);
  }

  @Test
  void heldBeforeItWasShared_isReported_andWhatIsGrantedAfterThatIsBesideIt() {
    Limit limit = new Limit(TRAILING, NOW);
    taken(limit, new Weight(0, 30, 0), NOW);
    limit.sharing().share(new SliceDemand(() -> {}), NOW);
    assertThat(report(limit, 7, NOW).counted()).containsExactly(new CellAmount(7, 30));
    grant(limit, 7, 50, NOW, NOW + SECOND);
    assertThat(limit.room(NOW)).isEqualTo(50);
  }

  @Test
  void permitsOutBeforeItWasShared_areBesideThoseGranted() {
    Limit limit = new Limit(PERMITS, NOW);
    taken(limit, 3, NOW);
    limit.sharing().share(new SliceDemand(() -> {}), NOW);
    grant(limit, 0, 5, NOW, NOW + SECOND);
    assertThat(limit.room(NOW)).isEqualTo(5);
  }

  @Test
  void permitThatIsCharged_isSpentAgain_andNothingIsKeptFree() {
    Limit limit = shared(PERMITS, NOW);
    grant(limit, 0, 5, NOW, NOW + SECOND);
    taken(limit, new Weight(0, 3, 0), NOW);
    assertThat(limit.room(NOW)).isEqualTo(2);
    limit.charge(40, 2, NOW);
    assertThat(limit.room(NOW)).isEqualTo(4);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(0, 0, 1));
  }

  @Test
  void permitsGivenBackOneByOne_areHadAgain() {
    Limit limit = shared(PERMITS, NOW);
    grant(limit, 0, 5, NOW, NOW + SECOND);
    LimitAnswer.Receipt receipt = taken(limit, new Weight(0, 3, 0), NOW);
    limit.giveBack(receipt, 0, 1, NOW);
    assertThat(limit.room(NOW)).isEqualTo(3);
    assertThat(limit.state().giveBack(receipt, 0, 2, NOW).room(NOW)).isEqualTo(5);
  }

  @Test
  void givenBackInItsWindow_isNotChargedAnyMore_butAfterItIs() {
    Limit limit = fixed(50);
    LimitAnswer.Receipt first = taken(limit, 40, NOW);
    limit.giveBack(first, 15, 0, NOW);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(25, 0, 0));
    long next = 3 * SECOND + WINDOW;
    report(limit, 8, next);
    grant(limit, 8, 50, next, next + WINDOW);
    taken(limit, 30, next);
    limit.giveBack(first, 25, 0, next);
    assertThat(limit.balance(next)).isEqualTo(new LimitBalance(30, 0, 0));
  }

  @Test
  void givenBackInItsDay_isNotChargedAnyMore_butAfterItIs() {
    Limit limit = shared(DAY, 0);
    long length = LimitSpec.Day.NANOS;
    limit.sharing().spendingReport(new CellGrid(9, 0, length, 3), 9, 9, 100, NOW);
    grant(limit, 9, 50, 0, length);
    LimitAnswer.Receipt first = taken(limit, 40, NOW);
    limit.giveBack(first, 15, 0, NOW);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(25, 0, 0));
    limit.sharing().spendingReport(new CellGrid(12, length, length, 3), 12, 12, 100, length);
    grant(limit, 12, 50, length, 2 * length);
    taken(limit, 30, length);
    limit.giveBack(first, 25, 0, length);
    assertThat(limit.balance(length)).isEqualTo(new LimitBalance(30, 0, 0));
  }

  @Test
  void chargedBeforeAnyCellWasKnown_isReportedWhenItIsTakenToHaveBeen() {
    Limit limit = new Limit(TRAILING, 0);
    limit.charge(20, 0, 0);
    limit.charge(10, 0, 2 * SECOND);
    limit.sharing().share(new SliceDemand(() -> {}), 2 * SECOND);
    CellGrid seconds = new CellGrid(100, 0, SECOND);
    assertThat(limit.sharing().spendingReport(seconds, 90, 102, 100, 2 * SECOND).counted())
        .containsExactly(new CellAmount(101, 20), new CellAmount(102, 10));
  }

  @Test
  void capacityRaised_keepsWhatWasGranted() {
    Limit limit = fixed(50);
    taken(limit, 10, NOW);
    limit.resize(new LimitSpec.FixedWindow(120, WINDOW), NOW);
    assertThat(limit.capacity()).isEqualTo(120);
    assertThat(limit.room(NOW)).isEqualTo(40);
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(10, 0, 0));
  }

  @Test
  void anotherWindow_forgetsWhatWasGranted() {
    Limit limit = fixed(50);
    taken(limit, 10, NOW);
    limit.resize(new LimitSpec.FixedWindow(120, 2 * WINDOW), NOW);
    assertThat(limit.capacity()).isEqualTo(120);
    assertThat(limit.room(NOW)).isZero();
    assertThat(limit.sharing().demand()).isNotNull();
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(10, 0, 0));
  }

  @Test
  void sharedNoMore_isTheWindowOnItsOwn() {
    Limit limit = fixed(50);
    taken(limit, 10, NOW);
    limit.sharing().unshare(NOW);
    assertThat(limit.room(NOW)).isEqualTo(90);
    assertThat(limit.sharing().demand()).isNull();
    assertThat(limit.admittedAt(91, NOW)).isEqualTo(3 * SECOND + WINDOW);
  }

  @Test
  void spec_isThatOfTheWindow() {
    assertThat(fixed(50).spec()).isEqualTo(FIXED);
  }

  /** Otherwise the later day, which is all used, would block what is left of the earlier one. */
  @Test
  void dayThatIsUsedUp_isNotRenewed_andTheOneBeforeIsSpentAgain() {
    Limit limit = shared(DAY, 0);
    grant(limit, 9, 50, 0, 5 * SECOND);
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(1_000, 20)),
            Slices.HEARD,
            cell -> new CellGrid.Span(0, (cell == 9 ? 5 : 2) * SECOND));
    taken(limit, 20, SECOND);
    limit.sharing().addSlices(List.of(), Slices.HEARD, any -> new CellGrid.Span(0, 6 * SECOND));
    assertThat(limit.room(SECOND)).isZero();
    assertThat(limit.room(2 * SECOND)).isEqualTo(50);
    assertThat(limit.room(6 * SECOND - 1)).isEqualTo(50);
    assertThat(limit.room(6 * SECOND)).isZero();
  }

  @Test
  void chargedWhileNothingRuns_isOfTheCellOfTheGrid() {
    Limit limit = fixed(0);
    assertThat(limit.charge(30, 0, NOW + WINDOW).shared()).isEqualTo(8);
    assertThat(GRID.cellAt(NOW + WINDOW)).isEqualTo(8);
  }
}
