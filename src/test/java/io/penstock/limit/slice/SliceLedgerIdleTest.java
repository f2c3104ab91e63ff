package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.DAY;
import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.NANOS;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.START;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.out;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of when the ledger of a limit can be lost without harm. */
class SliceLedgerIdleTest {
  private static final long HOUR = 3_600 * SECOND;
  private static final long MIDNIGHT = START - START % DAY;

  private long number;

  /** Returns the grants to a member that makes this report in the first instant. */
  private List<CellAmount> round(
      SliceLedger sliceLedger, LimitSpec spec, long wanted, long barred, CellAmount... uses) {
    number++;
    SliceLedger.Report report =
        new SliceLedger.Report("a", number, 0, List.of(uses), 0, wanted, barred, SliceLedger.NONE);
    return sliceLedger.round(report, CellPartition.of(spec), START, TTL).parts();
  }

  private SliceLedger after(LimitSpec spec, CellAmount... uses) {
    SliceLedger sliceLedger = new SliceLedger(CellPartition.of(spec));
    assertThat(round(sliceLedger, spec, 0, SliceLedger.NONE, uses)).isEmpty();
    return sliceLedger;
  }

  private static void idleFrom(SliceLedger sliceLedger, long instant) {
    assertThat(sliceLedger.idle(instant - 1, TTL)).as("a moment before").isFalse();
    assertThat(sliceLedger.idle(instant, TTL)).isTrue();
  }

  private static LimitSpec day(boolean calendar) {
    ZoneMidnights zoneMidnights = calendar ? new ZoneMidnights(ZoneOffset.UTC, () -> 0) : null;
    return new LimitSpec.Day(10, zoneMidnights, 3_600 * NANOS);
  }

  @Test
  void nothingCounts_idleOnceEveryoneIsSilent() {
    LimitSpec fixed = new LimitSpec.FixedWindow(10, 60 * NANOS);
    idleFrom(after(fixed), START + TTL + 1);
    idleFrom(after(fixed, part(START / MINUTE, 0)), START + TTL + 1);
    idleFrom(after(day(true)), START + TTL + 1);
    idleFrom(after(day(false)), START + TTL + 1);
  }

  @Test
  void windowCounts_idleWhenItEnds() {
    long minute = START / MINUTE;
    LimitSpec fixed = new LimitSpec.FixedWindow(10, 60 * NANOS);
    idleFrom(after(fixed, part(minute, 1)), (minute + 1) * MINUTE);
    LimitSpec trailing = new LimitSpec.TrailingWindow(10, 60 * NANOS, 0, 1);
    idleFrom(after(trailing, part(START / SECOND, 1)), START + 61 * SECOND);
  }

  @Test
  void dayCounts_idleWhenTheLongestMonthHasEnded() {
    idleFrom(after(day(true), part(MIDNIGHT, 1)), MIDNIGHT + 31 * DAY + 3 * HOUR);
  }

  @Test
  void dayOfFirstUseCounts_idleWhenItEnds() {
    idleFrom(after(day(false), part(START - 7, 1)), START - 7 + DAY + HOUR);
  }

  @Test
  void cellIsBarred_idleWhenItEnds() {
    LimitSpec fixed = new LimitSpec.FixedWindow(10, 60 * NANOS);
    SliceLedger sliceLedger = new SliceLedger(CellPartition.of(fixed));
    round(sliceLedger, fixed, 0, START / MINUTE + 5);
    idleFrom(sliceLedger, (START / MINUTE + 6) * MINUTE);
  }

  @Test
  void permitsAreOut_idleOnceEveryoneIsSilent() {
    idleFrom(after(new LimitSpec.Concurrency(10), part(0, 3)), START + TTL + 1);
  }

  @Test
  void tokensAreOut_theyCountAsSpentWhenTheirSliceEnds() {
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(1, 1), 50);
    SliceLedger sliceLedger = new SliceLedger(CellPartition.of(bucket));
    long edge = (START / MINUTE + 1) * MINUTE;
    SliceLedger.Report wants =
        new SliceLedger.Report("a", 1, 0, List.of(), 0, 5, SliceLedger.NONE, SliceLedger.NONE);
    assertThat(sliceLedger.round(wants, CellPartition.of(bucket), edge - TTL, TTL).parts())
        .containsExactly(out(5));
    idleFrom(sliceLedger, edge + 2 * MINUTE);
  }

  @Test
  void slotsAreHandedOut_idleWhenTheNextOneBegins() {
    LimitSpec slots = new LimitSpec.Strict(new ExactRate(1, 10), 0);
    SliceLedger sliceLedger = new SliceLedger(CellPartition.of(slots));
    assertThat(round(sliceLedger, slots, 1, SliceLedger.NONE)).hasSize(1);
    idleFrom(sliceLedger, START + 2_000 + 10 * SECOND);
  }
}
