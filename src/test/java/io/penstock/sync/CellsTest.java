package io.penstock.sync;

import static io.penstock.sync.World.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Grid;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Partition;
import io.penstock.limit.Rate;
import io.penstock.quota.Supply;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the time of shared limits is divided into cells, except for days. */
class CellsTest {
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 10 * SECOND);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(10, 60 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);

  /** Takes 90 s to fill up, so spending in one minute counts in the next two. */
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new Rate(1, 1), 90);

  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  private static Cells of(LimitSpec spec) {
    return Objects.requireNonNull(Cells.of(spec));
  }

  private static Cells slots(long releases, long seconds) {
    return of(new LimitSpec.Strict(new Rate(releases, seconds)));
  }

  /** Asserts that the given time is the last at which spending of the 1000th second counts. */
  private static void assertCountsFor(Cells cells, long nanos) {
    long then = 1_000 * SECOND;
    assertThat(cells.counts(then, then + nanos)).isTrue();
    assertThat(cells.counts(then, then + nanos + 1)).isFalse();
  }

  private static void assertEndsAt(Cells cells, long cell, long instant) {
    assertThat(cells.isOver(cell, instant - 1)).isFalse();
    assertThat(cells.isOver(cell, instant)).isTrue();
  }

  @Test
  void fixedWindow_isOneCellThatCountsByItself() {
    Cells cells = of(FIXED);
    assertThat(cells.at(110 * SECOND - 1)).isEqualTo(10);
    assertThat(cells.at(110 * SECOND)).isEqualTo(11);
    assertThat(cells.oldest(115 * SECOND)).isEqualTo(11);
    assertThat(cells.lastOf(115 * SECOND)).isEqualTo(11);
    assertEndsAt(cells, 10, 110 * SECOND);
    assertCountsFor(cells, 10 * SECOND);
  }

  @Test
  void trailingWindow_reachesSixtySubCellsBackAndAhead() {
    Cells cells = of(TRAILING);
    assertThat(cells.at(100 * SECOND)).isEqualTo(100);
    assertThat(cells.oldest(100 * SECOND)).isEqualTo(40);
    assertThat(cells.oldest(5 * SECOND)).isZero();
    assertThat(cells.lastOf(100 * SECOND)).isEqualTo(160);
    assertEndsAt(cells, 100, 101 * SECOND);
    assertCountsFor(cells, 61 * SECOND);
  }

  @Test
  void bucket_countsForAsManyMinutesAsItTakesToFill() {
    Cells cells = of(BUCKET);
    assertThat(cells.at(600 * SECOND)).isEqualTo(10);
    assertThat(cells.oldest(600 * SECOND)).isEqualTo(8);
    assertThat(cells.lastOf(600 * SECOND)).isEqualTo(12);
    assertEndsAt(cells, 10, 660 * SECOND);
    assertCountsFor(cells, 180 * SECOND);
  }

  @Test
  void permits_haveOneCellThatNeverEndsAndCountWhileTheyAreOut() {
    Cells cells = of(PERMITS);
    assertThat(cells.at(100 * SECOND)).isZero();
    assertThat(cells.oldest(100 * SECOND)).isZero();
    assertThat(cells.lastOf(100 * SECOND)).isZero();
    assertThat(cells.isOver(0, Long.MAX_VALUE - 1)).isFalse();
    assertCountsFor(cells, 0);
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
    Cells cells = slots(releases, seconds);
    long window = Long.parseLong(micros.replace("_", ""));
    long slot = 100_000_000;
    assertThat(cells.at(slot * 1_000)).isEqualTo(slot);
    assertThat(cells.oldest(slot * 1_000)).isEqualTo(slot - window);
    assertEndsAt(cells, slot, (slot + window) * 1_000);
  }

  @Test
  void slots_areNothingThatCountsOnceTheyAreHandedOut() {
    Cells cells = slots(20, 1);
    assertThat(cells.lastOf(100 * SECOND)).isEqualTo(Supply.Ask.NONE);
    assertCountsFor(cells, 0);
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
    assertThat(Cells.of(new LimitSpec.Unlimited())).isNull();
    assertThat(Cells.changed(new LimitSpec.Unlimited())).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void capacityThatNobodyReaches_isSaidToBeSo(long more) {
    long capacity = Partition.MOST - 1 + more;
    assertThat(of(new LimitSpec.FixedWindow(capacity, SECOND)).canBeReached()).isEqualTo(more == 0);
  }

  @Test
  void limitThatBecomesAnother_keepsItsCellsWhereTheyAreTheSame() {
    Cells other = of(FIXED).become(new LimitSpec.FixedWindow(99, 10 * SECOND));
    assertThat(Objects.requireNonNull(other).at(115 * SECOND)).isEqualTo(11);
    assertThat(of(FIXED).become(new LimitSpec.FixedWindow(10, 20 * SECOND))).isNull();
    assertThat(of(FIXED).become(new LimitSpec.Unlimited())).isNull();
  }

  @Test
  void whatIsFree_lastsUntilItsCellEndsUnlessItStays() {
    Grid grid = new Grid(3, 5 * SECOND, 10 * SECOND);
    assertThat(of(FIXED).leftNanos(grid, 7 * SECOND)).isEqualTo(8 * SECOND);
    assertThat(of(BUCKET).leftNanos(grid, 7 * SECOND)).isEqualTo(Long.MAX_VALUE);
    assertThat(of(PERMITS).leftNanos(grid, 7 * SECOND)).isEqualTo(Long.MAX_VALUE);
  }
}
