package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellGrid;
import io.penstock.limit.CellPartition;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceStore;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the time of shared limits is divided into cells, except for days. */
class LimitCellsTest {
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 10 * SECOND);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(10, 60 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);

  /** Takes 90 s to fill up, so spending in one minute counts in the next two. */
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new ExactRate(1, 1), 90);

  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  private static LimitCells of(LimitSpec spec) {
    return Objects.requireNonNull(LimitCells.of(spec));
  }

  private static LimitCells slots(long releases, long seconds) {
    return of(new LimitSpec.Strict(new ExactRate(releases, seconds), 0));
  }

  /** Asserts that the given time is the last at which spending of the 1000th second counts. */
  private static void assertCountsFor(LimitCells limitCells, long nanos) {
    long then = 1_000 * SECOND;
    assertThat(limitCells.counts(then, then + nanos)).isTrue();
    assertThat(limitCells.counts(then, then + nanos + 1)).isFalse();
  }

  private static void assertEndsAt(LimitCells limitCells, long cell, long instant) {
    assertThat(limitCells.isOver(cell, instant - 1)).isFalse();
    assertThat(limitCells.isOver(cell, instant)).isTrue();
  }

  @Test
  void fixedWindow_isOneCellThatCountsByItself() {
    LimitCells limitCells = of(FIXED);
    assertThat(limitCells.at(110 * SECOND - 1)).isEqualTo(10);
    assertThat(limitCells.at(110 * SECOND)).isEqualTo(11);
    assertThat(limitCells.oldest(115 * SECOND)).isEqualTo(11);
    assertThat(limitCells.lastOf(115 * SECOND)).isEqualTo(11);
    assertEndsAt(limitCells, 10, 110 * SECOND);
    assertCountsFor(limitCells, 10 * SECOND);
  }

  @Test
  void trailingWindow_reachesSixtySubCellsBackAndAhead() {
    LimitCells limitCells = of(TRAILING);
    assertThat(limitCells.at(100 * SECOND)).isEqualTo(100);
    assertThat(limitCells.oldest(100 * SECOND)).isEqualTo(40);
    assertThat(limitCells.oldest(5 * SECOND)).isZero();
    assertThat(limitCells.lastOf(100 * SECOND)).isEqualTo(160);
    assertEndsAt(limitCells, 100, 101 * SECOND);
    assertCountsFor(limitCells, 61 * SECOND);
  }

  @Test
  void bucket_countsForAsManyMinutesAsItTakesToFill() {
    LimitCells limitCells = of(BUCKET);
    assertThat(limitCells.at(600 * SECOND)).isEqualTo(10);
    assertThat(limitCells.oldest(600 * SECOND)).isEqualTo(8);
    assertThat(limitCells.lastOf(600 * SECOND)).isEqualTo(12);
    assertEndsAt(limitCells, 10, 660 * SECOND);
    assertCountsFor(limitCells, 180 * SECOND);
  }

  @Test
  void permits_haveOneCellThatNeverEndsAndCountWhileTheyAreOut() {
    LimitCells limitCells = of(PERMITS);
    assertThat(limitCells.at(100 * SECOND)).isZero();
    assertThat(limitCells.oldest(100 * SECOND)).isZero();
    assertThat(limitCells.lastOf(100 * SECOND)).isZero();
    assertThat(limitCells.isOver(0, Long.MAX_VALUE - 1)).isFalse();
    assertCountsFor(limitCells, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 20_000", // no longer than 20 ms
    "20, 3, 15_000", // a tenth of 150 ms
    "20, 1, 5_000",
    "100, 1, 2_000", // no shorter than 2 ms
    "200, 1, 2_000",
    "250, 1, 7_000" // slots within 5 ms are granted as one
  })
  void slot_mayBeUsedForATenthOfAnInterval(long releases, long seconds, String micros) {
    LimitCells limitCells = slots(releases, seconds);
    long window = Long.parseLong(micros.replace("_", ""));
    long slot = 100_000_000;
    assertThat(limitCells.at(slot * 1_000)).isEqualTo(slot);
    assertThat(limitCells.oldest(slot * 1_000)).isEqualTo(slot - window);
    assertEndsAt(limitCells, slot, (slot + window) * 1_000);
  }

  @Test
  void slots_areNothingThatCountsOnceTheyAreHandedOut() {
    LimitCells limitCells = slots(20, 1);
    assertThat(limitCells.lastOf(100 * SECOND)).isEqualTo(SliceStore.Ask.NONE);
    assertCountsFor(limitCells, 0);
  }

  @Test
  void slots_areWantedForATimeAndOneMore() {
    assertThat(slots(20, 3).most(1, 2 * SECOND)).isEqualTo(14);
    assertThat(slots(20, 1).most(1, SECOND / 100)).isEqualTo(1);
    assertThat(of(FIXED).most(300, 2 * SECOND)).isEqualTo(300);
  }

  @Test
  void kindsOfCells_areTold() {
    assertThat(List.of(slots(20, 1).slots(), of(FIXED).slots())).containsExactly(true, false);
    assertThat(List.of(of(PERMITS).endless(), of(BUCKET).endless())).containsExactly(true, false);
    assertThat(List.of(of(PERMITS).stays(), of(BUCKET).stays(), of(FIXED).stays()))
        .containsExactly(true, true, false);
  }

  @Test
  void unlimited_hasNoCells() {
    assertThat(LimitCells.of(new LimitSpec.Unlimited())).isNull();
    assertThat(LimitCells.changed(new LimitSpec.Unlimited())).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void capacityThatNobodyReaches_isSaidToBeSo(long more) {
    long capacity = CellPartition.MOST - 1 + more;
    assertThat(of(new LimitSpec.FixedWindow(capacity, SECOND)).canBeReached()).isEqualTo(more == 0);
  }

  @Test
  void limitThatBecomesAnother_keepsItsCellsWhereTheyAreTheSame() {
    LimitCells other = of(FIXED).become(new LimitSpec.FixedWindow(99, 10 * SECOND));
    assertThat(Objects.requireNonNull(other).at(115 * SECOND)).isEqualTo(11);
    assertThat(of(FIXED).become(new LimitSpec.FixedWindow(10, 20 * SECOND))).isNull();
    assertThat(of(FIXED).become(new LimitSpec.Unlimited())).isNull();
  }

  @Test
  void whatIsFree_lastsUntilItsCellEndsUnlessItStays() {
    CellGrid grid = new CellGrid(3, 5 * SECOND, 10 * SECOND);
    assertThat(of(FIXED).leftNanos(grid, 7 * SECOND)).isEqualTo(8 * SECOND);
    assertThat(of(BUCKET).leftNanos(grid, 7 * SECOND)).isEqualTo(Long.MAX_VALUE);
    assertThat(of(PERMITS).leftNanos(grid, 7 * SECOND)).isEqualTo(Long.MAX_VALUE);
  }
}
