package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellGrid;
import io.penstock.limit.CellPartition;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceStore;
import io.penstock.time.CellClock;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests where cells of a shared limit lie on the local clock, and when they may be used for
 * certain.
 */
class CellSpansTest {
  private static final long NOW = 7 * SECOND;

  /** Shared clock now, plus or minus 200 ns. */
  private static final long SHARED = 123 * SECOND;

  private static final long UNSURE = 200;
  private static final long MICRO = 1_000;
  private static final long DAY = LimitSpec.Day.NANOS;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 10 * SECOND);
  private static final LimitSpec SPAN = new LimitSpec.Day(10, null, 300 * MILLI);
  private static final LimitSpec STRICT = new LimitSpec.Strict(new ExactRate(20, 1), 0);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new ExactRate(1, 1), 90);

  private final CellClock clock = clock(SHARED);

  private static CellClock clock(long shared) {
    CellClock clock = new CellClock();
    clock.addReading(NOW, NOW, shared, 0);
    return clock;
  }

  private static LimitCells of(LimitSpec spec) {
    return Objects.requireNonNull(LimitCells.of(spec));
  }

  @Test
  void gridOfWindows_beginsWhereTheRunningOneDoes() {
    assertThat(of(FIXED).grid(clock, NOW))
        .isEqualTo(new CellGrid(12, NOW - 3 * SECOND, 10 * SECOND));
    assertThat(of(BUCKET).grid(clock, NOW))
        .isEqualTo(new CellGrid(2, NOW - 3 * SECOND, 60 * SECOND));
  }

  @Test
  void gridOfPermits_neverEnds_andThatOfSlotsIsNone() {
    assertThat(of(PERMITS).grid(clock, NOW)).isEqualTo(new CellGrid(0, NOW, Long.MAX_VALUE));
    assertThat(of(STRICT).grid(clock, NOW)).isEqualTo(CellGrid.none(NOW));
  }

  @Test
  void gridOfADayThatNobodyBegan_isNone_andThenOneDay() {
    LimitCells limitCells = of(SPAN);
    assertThat(limitCells.grid(clock, NOW)).isEqualTo(CellGrid.none(NOW));
    long began = SHARED - 5 * SECOND;
    limitCells.learnDayStart(List.of(new CellAmount(began / MICRO, 1)));
    assertThat(limitCells.grid(clock, NOW))
        .isEqualTo(new CellGrid(began / MICRO, NOW - 5 * SECOND, DAY + 300 * MILLI, 0));
  }

  @Test
  void gridOfADayOfWhichAnHourIsMissing_isAnHourShorter() {
    ZoneId zone = ZoneId.of("Europe/Berlin");
    long starts = ZonedDateTime.of(2026, 3, 29, 0, 0, 0, 0, zone).toEpochSecond() * SECOND;
    LimitCells limitCells =
        of(new LimitSpec.Day(10, new ZoneMidnights(zone, () -> 0), 300 * MILLI));
    long hour = 3_600 * SECOND;
    CellGrid cellGrid = limitCells.grid(clock(starts + hour), NOW);
    assertThat(cellGrid)
        .isEqualTo(
            new CellGrid(starts / MICRO, NOW - hour + 300 * MILLI, 23 * hour, 23 * hour / MICRO));
  }

  @Test
  void whatIsLeft_isKnownUntilAllIsByTheOwnClock_andOfPermitsAsLongAsSlicesLast() {
    SliceStore.Grant grant =
        new SliceStore.Grant(
            SliceWorld.ID, 10, 1, List.of(), SliceStore.Ask.NONE, 5, SHARED + 40 * SECOND);
    assertThat(of(FIXED).leftUntil(grant, clock, NOW + SECOND, NOW)).isEqualTo(NOW + 40 * SECOND);
    assertThat(of(PERMITS).leftUntil(grant, clock, NOW + SECOND, NOW)).isEqualTo(NOW + SECOND);
  }

  @Test
  void cellThatRuns_isSpentFromNowUntilItEndsForCertain() {
    LimitCells limitCells = of(FIXED);
    CellGrid.Span span = limitCells.span(12, clock, NOW + 30 * SECOND, NOW);
    assertThat(span.fromNanos()).isEqualTo(NOW);
    assertThat(clock.latest(span.untilNanos())).isLessThanOrEqualTo(130 * SECOND);
    assertThat(span.untilNanos()).isBetween(NOW + 7 * SECOND - 10 * MILLI, NOW + 7 * SECOND);
  }

  @Test
  void cellToCome_isSpentFromItsBeginForCertainAndNotANanosecondSooner() {
    CellGrid.Span span = of(FIXED).span(13, clock, NOW + 8 * SECOND, NOW);
    assertThat(clock.earliest(span.fromNanos())).isGreaterThanOrEqualTo(130 * SECOND);
    assertThat(clock.earliest(span.fromNanos() - 1)).isLessThan(130 * SECOND);
    assertThat(span.untilNanos()).isEqualTo(NOW + 8 * SECOND);
  }

  @Test
  void sliceThatEndsWithinAMillisecondAfterItsCell_isCutByJustThat() {
    CellClock near = clock(130 * SECOND - 600_000);
    CellGrid.Span span = of(FIXED).span(12, near, NOW + 900_000, NOW);
    assertThat(span).isEqualTo(new CellGrid.Span(NOW, NOW + 600_000 - UNSURE));
  }

  @Test
  void sliceThatEndsWithItsCell_isNotCut() {
    CellClock near = clock(130 * SECOND - 600_000);
    long ends = NOW + 600_000 - UNSURE;
    assertThat(of(FIXED).span(12, near, ends, NOW)).isEqualTo(new CellGrid.Span(NOW, ends));
  }

  @ParameterizedTest
  @ValueSource(longs = {8, 11})
  void cellThatIsOver_isNeverSpent(long cell) {
    CellGrid.Span span = of(FIXED).span(cell, clock, NOW + 2 * SECOND, NOW);
    assertThat(span.untilNanos()).isLessThanOrEqualTo(span.fromNanos());
    assertThat(span.fromNanos()).isEqualTo(NOW);
  }

  @Test
  void permitsAndTokensThatAreOut_areSpentAsLongAsTheirSliceLasts() {
    CellGrid.Span all = new CellGrid.Span(NOW, NOW + SECOND);
    assertThat(of(PERMITS).span(0, clock, NOW + SECOND, NOW)).isEqualTo(all);
    assertThat(of(BUCKET).span(CellPartition.OUT, clock, NOW + SECOND, NOW)).isEqualTo(all);
  }

  @Test
  void slotToCome_isUsedFromItsBeginForATenthOfAnInterval() {
    LimitCells limitCells = of(STRICT);
    long slot = SHARED + 500_000;
    long from = NOW + 500_000 + UNSURE;
    assertThat(limitCells.span(slot / MICRO, clock, NOW + SECOND, NOW))
        .isEqualTo(new CellGrid.Span(from, from + 5 * MILLI));
    assertThat(limitCells.span(slot / MICRO, clock, NOW + MILLI, NOW))
        .isEqualTo(new CellGrid.Span(from, NOW + MILLI));
  }

  @Test
  void slotThatHasBegun_isUsedForWhatIsLeftOfItsTime() {
    long slot = SHARED - 500_000;
    CellGrid.Span span = of(STRICT).span(slot / MICRO, clock, NOW + SECOND, NOW);
    assertThat(span).isEqualTo(new CellGrid.Span(NOW, NOW - 500_000 + UNSURE + 5 * MILLI));
  }
}
