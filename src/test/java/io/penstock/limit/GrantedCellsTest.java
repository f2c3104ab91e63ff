package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.limit.CellGrid.Span;
import io.penstock.time.Ticker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of when slices may be spent, and how much of them. */
class GrantedCellsTest {
  private static final long SECOND = 1_000_000_000L;

  private static final GrantedCell NOW = new GrantedCell(7, 50, 20, new Span(0, 10));
  private static final GrantedCell LATER = new GrantedCell(8, 40, 5, new Span(10, 20));

  @Test
  void portionThatRuns_isSpentBeforeThoseThatBeginLater() {
    GrantedCells both = new GrantedCells(List.of(NOW, LATER));
    assertThat(both.running(9)).isEqualTo(NOW);
    assertThat(both.opens(30, 0, 5, 5)).isEqualTo(5);
    assertThat(both.opens(30, 0, 9, 5)).isEqualTo(9);
    assertThat(both.opens(31, 0, 5, 5)).as("more than is free of it").isEqualTo(10);
    assertThat(both.opens(35, 0, 5, 5)).isEqualTo(10);
    assertThat(both.opens(35, 1, 5, 5)).isEqualTo(Ticker.NEVER);
    assertThat(both.opens(35, 0, 20, 5)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void unspent_isWhatRunsAndWhatBeginsLater_lessWhatIsHeld() {
    GrantedCells both = new GrantedCells(List.of(NOW, LATER));
    assertThat(both.unspent(false, 0, 5)).isEqualTo(30);
    assertThat(both.unspent(true, 0, 5)).isEqualTo(65);
    assertThat(both.unspent(true, 7, 5)).isEqualTo(58);
    assertThat(both.unspent(false, 7, 5)).isEqualTo(23);
    assertThat(both.unspent(true, 7, 10)).as("the first has ended").isEqualTo(28);
    assertThat(both.unspent(true, 7, -1)).as("none runs, so nothing is kept").isEqualTo(65);
    assertThat(both.unspent(false, 7, 20)).isZero();
  }

  @Test
  void spanThatEndsBeforeItBegins_isNeverSpent() {
    GrantedCells never = new GrantedCells(List.of(new GrantedCell(7, 50, 20, new Span(10, 5))));
    for (long now = 4; now < 12; now++) {
      assertThat(never.unspent(true, 0, now)).as("%d", now).isEqualTo(now < 5 ? 30 : 0);
      assertThat(never.running(now)).isNull();
    }
    assertThat(never.opens(1, 0, 0, 0)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void leaseRenewedInTime_keepsWhatIsFree_afterItsEndDoesNot() {
    Span next = new Span(10, 30);
    assertThat(NOW.leased(next)).isEqualTo(new GrantedCell(7, 20, 20, NOW.span()));
    assertThat(NOW.leased(new Span(9, 30))).isEqualTo(new GrantedCell(7, 50, 20, new Span(9, 30)));
  }

  @Test
  void ranOver_nothingIsFree_andNothingIsOwedBelowZero() {
    GrantedCell over = NOW.using(40);
    assertThat(over.used()).isEqualTo(60);
    assertThat(over.free(0)).isZero();
    assertThat(NOW.using(-30).used()).isZero();
    assertThat(NOW.paying(60).granted()).isZero();
    assertThat(NOW.free(10)).isEqualTo(20);
  }

  @Test
  void otherPortions_stayInTheOrderOfTheirCells() {
    GrantedCells some = new GrantedCells(List.of(NOW, LATER.during(Span.NEVER)));
    GrantedCells more = some.using(6, 1).using(9, 2).using(7, 3);
    assertThat(more.all()).extracting(GrantedCell::cell).containsExactly(6L, 7L, 8L, 9L);
    assertThat(more.all()).extracting(GrantedCell::used).containsExactly(1L, 23L, 5L, 2L);
    assertThat(more.from(8).all()).extracting(GrantedCell::cell).containsExactly(8L, 9L);
    assertThat(more.has(9)).isTrue();
    assertThat(more.has(5)).isFalse();
  }

  @Test
  void heldTokensBeforeAnyCellWasKnown_areSpentInNoMinute() {
    Limit limit = new Limit(new LimitSpec.TokenBucket(new ExactRate(1, 1), 50), 0);
    limit.take(new Weight(0, 30, 0), 0);
    limit.sharing().share(new SliceDemand(() -> {}), 0);
    CellGrid minutes = new CellGrid(7, 0, 60 * SECOND);
    assertThat(limit.sharing().spendingReport(minutes, 0, 7, 100, 0).counted())
        .containsExactly(new CellAmount(CellPartition.OUT, 30));
  }
}
