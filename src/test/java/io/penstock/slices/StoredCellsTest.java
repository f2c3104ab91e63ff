package io.penstock.slices;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SpendingReport;
import io.penstock.sharing.SliceStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what an instance reports of its spending, and what it knows about the store's counts. */
class StoredCellsTest {
  private static final LimitSpec SPEC = new LimitSpec.FixedWindow(10, SliceWorld.SECOND);

  private final StoredCells stored = new StoredCells();

  /** Returns a tally of alternating cells and amounts. */
  private static SpendingReport tally(long... cells) {
    List<CellAmount> counted = new ArrayList<>();
    for (int each = 0; each < cells.length; each += 2) {
      counted.add(new CellAmount(cells[each], cells[each + 1]));
    }
    return new SpendingReport(counted, 0, 0, 0, 0);
  }

  private void told(long from, CellAmount... uses) {
    stored.acknowledge(
        new SliceStore.Ask(SliceWorld.ID, SPEC, from, List.of(uses), 0, 0, -1, SliceStore.Ask.NONE),
        3);
  }

  private static CellAmount use(long cell, long amount) {
    return new CellAmount(cell, amount);
  }

  @Test
  void nothingSpent_isNothingToReport() {
    assertThat(SpentCells.any(tally())).isFalse();
    assertThat(SpentCells.any(tally(5, 0))).isFalse();
    assertThat(SpentCells.any(tally(4, 0, 5, 1))).isTrue();
  }

  @Test
  void report_isOfACellAndAllAfterIt_butOfThoseWithNothingInThem() {
    assertThat(SpentCells.from(tally(4, 2, 5, 3, 6, 0, 7, 1), 5))
        .containsExactly(use(5, 3), use(7, 1));
  }

  @Test
  void storeThatWasToldNothing_mayHaveAnythingInAnyCell() {
    assertThat(stored.unsure()).isTrue();
    assertThat(stored.firstOther(tally(5, 1), 3)).isEqualTo(3);
    assertThat(stored.differs(tally(5, 1), 9)).isTrue();
    assertThat(stored.differs(tally(5, 0), 3)).isFalse();
  }

  @Test
  void storeThatWasToldAll_hasNothingElse() {
    told(3, use(4, 2), use(5, 1));
    assertThat(stored.unsure()).isFalse();
    assertThat(stored.firstOther(tally(4, 2, 5, 1, 6, 0), 3)).isEqualTo(Long.MAX_VALUE);
    assertThat(stored.differs(tally(4, 2, 5, 1, 6, 0), 3)).isFalse();
  }

  @Test
  void spentSince_isOtherFromItsCellOn() {
    told(3, use(4, 2), use(5, 1));
    assertThat(stored.firstOther(tally(4, 2, 5, 3, 6, 1), 3)).isEqualTo(5);
    assertThat(stored.differs(tally(4, 2, 5, 3), 5)).isTrue();
    assertThat(stored.differs(tally(4, 2, 5, 3), 6)).isFalse();
  }

  @Test
  void granted_isAddedToWhatTheStoreCounts() {
    told(3, use(4, 2));
    stored.granted(new CellAmount(4, 3));
    assertThat(stored.firstOther(tally(4, 5), 3)).isEqualTo(Long.MAX_VALUE);
    assertThat(stored.firstOther(tally(4, 2), 3)).isEqualTo(4);
  }

  @Test
  void reportFromACell_leavesThoseBeforeItAndEndsAllAfterIt() {
    told(3, use(4, 2), use(5, 1), use(6, 7));
    told(5, use(5, 4));
    assertThat(stored.firstOther(tally(4, 2, 5, 4, 6, 0), 3)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void cellsThatCountNoMore_areForgotten() {
    told(1, use(2, 9), use(3, 1));
    told(4);
    assertThat(stored.firstOther(tally(2, 0, 3, 1), 3)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void storeThatIsDoubted_isToldWhatItCountedEvenWhereNothingIsSpentAnyMore() {
    told(3, use(4, 2));
    stored.markUncertain();
    assertThat(stored.unsure()).isTrue();
    assertThat(stored.firstOther(tally(4, 2), 3)).isEqualTo(3);
    assertThat(stored.differs(tally(), 3)).isTrue();
  }

  @Test
  void storeWithOtherCells_countsNothingThatIsKnown() {
    told(3, use(4, 2));
    stored.clear();
    assertThat(stored.unsure()).isTrue();
    assertThat(stored.differs(tally(4, 0), 3)).isFalse();
    told(9);
    assertThat(stored.firstOther(tally(4, 0), 3)).isEqualTo(Long.MAX_VALUE);
  }
}
