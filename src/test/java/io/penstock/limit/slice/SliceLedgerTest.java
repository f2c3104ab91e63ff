package io.penstock.limit.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

class SliceLedgerTest {
  private static final long SECOND = 1_000_000;
  private static final long TTL = 2 * SECOND;
  private static final long NANOS = 1_000_000_000;
  private static final long START = 1_700_000_000L * SECOND;

  private long number;
  private long now = START;

  private List<CellAmount> round(
      SliceLedger sliceLedger,
      LimitSpec spec,
      String member,
      long head,
      long wanted,
      CellAmount... uses) {
    number++;
    SliceLedger.Report report =
        new SliceLedger.Report(
            member, number, 0, List.of(uses), head, wanted, SliceLedger.NONE, SliceLedger.NONE);
    return sliceLedger.round(report, CellPartition.of(spec), now, TTL).parts();
  }

  private static SliceLedger shares(LimitSpec spec) {
    return new SliceLedger(CellPartition.of(spec));
  }

  private static CellAmount out(long amount) {
    return new CellAmount(CellPartition.OUT, amount);
  }

  @Test
  void bucket_isTakenFromAndFillsWithWhatWasSpent() {
    LimitSpec spec = new LimitSpec.TokenBucket(ExactRate.of(BigDecimal.TEN, 1), 50);
    SliceLedger sliceLedger = shares(spec);
    long minute = now / (60 * SECOND);
    assertThat(round(sliceLedger, spec, "a", 0, 80)).containsExactly(out(50));
    assertThat(round(sliceLedger, spec, "a", 1, 0, new CellAmount(minute, 50))).isEmpty();
    now += SECOND;
    assertThat(round(sliceLedger, spec, "a", 11, 0, new CellAmount(minute, 50))).isEmpty();
    assertThat(round(sliceLedger, spec, "a", 10, 0, new CellAmount(minute, 50)))
        .containsExactly(out(10));
  }

  @Test
  void tokensThatAreOut_areNotFilledInHoweverLong() {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(10, 1), 50);
    SliceLedger sliceLedger = shares(spec);
    assertThat(round(sliceLedger, spec, "a", 0, 30)).containsExactly(out(30));
    for (int each = 0; each < 100; each++) {
      now += SECOND;
      round(sliceLedger, spec, "a", 0, 0, out(30));
      assertThat(round(sliceLedger, spec, "b", 21, 0)).isEmpty();
    }
    round(sliceLedger, spec, "a", 0, 0);
    assertThat(round(sliceLedger, spec, "b", 21, 0)).containsExactly(out(21));
  }

  @Test
  void tokensOfWhoIsSilent_areSpent() {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(1, 10), 50);
    SliceLedger sliceLedger = shares(spec);
    assertThat(round(sliceLedger, spec, "a", 0, 30)).containsExactly(out(30));
    now += TTL + 1;
    assertThat(round(sliceLedger, spec, "b", 21, 0)).isEmpty();
    now += 10 * SECOND;
    assertThat(round(sliceLedger, spec, "b", 21, 0)).containsExactly(out(21));
  }

  @Test
  void bucketReportedUnspent_isRefundedOnce() {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(1, 1000), 50);
    SliceLedger sliceLedger = shares(spec);
    long minute = now / (60 * SECOND);
    round(sliceLedger, spec, "a", 0, 50);
    round(sliceLedger, spec, "a", 0, 0, new CellAmount(minute, 20));
    assertThat(round(sliceLedger, spec, "a", 31, 0, new CellAmount(minute, 20))).isEmpty();
    assertThat(round(sliceLedger, spec, "a", 30, 0, new CellAmount(minute, 20)))
        .containsExactly(out(30));
  }

  @Test
  void bucketSpentBeyond_isBelowZeroUntilItFills() {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(10, 1), 50);
    SliceLedger sliceLedger = shares(spec);
    long minute = now / (60 * SECOND);
    round(sliceLedger, spec, "a", 0, 50);
    round(sliceLedger, spec, "a", 0, 0, new CellAmount(minute, 70));
    now += 2 * SECOND;
    assertThat(round(sliceLedger, spec, "a", 1, 0, new CellAmount(minute, 70))).isEmpty();
    now += SECOND;
    assertThat(round(sliceLedger, spec, "a", 10, 0, new CellAmount(minute, 70)))
        .containsExactly(out(10));
  }

  @Test
  void calendarDay_isNumberedByItsMidnight() {
    ZoneMidnights zoneMidnights = new ZoneMidnights(ZoneId.of("America/Los_Angeles"), () -> 0);
    LimitSpec spec = new LimitSpec.Day(10, zoneMidnights, 0);
    long edge = Instant.parse("2026-11-01T07:00:00Z").toEpochMilli() * 1_000;
    now = edge - SECOND;
    SliceLedger sliceLedger = shares(spec);
    assertThat(round(sliceLedger, spec, "a", 0, 15))
        .containsExactly(new CellAmount(edge - 24 * 3_600 * SECOND, 10), new CellAmount(edge, 5));
    // clocks go back that day: it has 25 hours
    now = edge + 25 * 3_600 * SECOND - 1;
    assertThat(round(sliceLedger, spec, "b", 6, 0)).isEqualTo(List.of(new CellAmount(now + 1, 6)));
    assertThat(round(sliceLedger, spec, "c", 5, 0)).containsExactly(new CellAmount(edge, 5));
  }

  @Test
  void clockSetBack_grantsNothingUntilItIsWhereItWas() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    SliceLedger sliceLedger = shares(spec);
    round(sliceLedger, spec, "a", 0, 10);
    now += 5 * SECOND;
    round(sliceLedger, spec, "a", 0, 10);
    now -= 5 * SECOND;
    assertThat(round(sliceLedger, spec, "a", 1, 0)).isEmpty();
    now += 5 * SECOND;
    assertThat(round(sliceLedger, spec, "a", 1, 0)).hasSize(1);
  }

  @Test
  void headAboveTheCapacity_isGrantedTheCapacity() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    assertThat(round(shares(spec), spec, "a", 25, 0))
        .containsExactly(new CellAmount(340_000_000, 10));
  }

  @Test
  void headInATrailingWindow_getsWhatFreesBitByBit() {
    LimitSpec spec = new LimitSpec.TrailingWindow(60, 60 * NANOS, 0, 60);
    SliceLedger sliceLedger = shares(spec);
    for (int i = 0; i < 60; i++) {
      long cell = now / SECOND;
      round(sliceLedger, spec, "a", 1, 0);
      round(sliceLedger, spec, "a", 0, 0, spent(cell - i, cell));
      now += SECOND;
    }
    assertThat(round(sliceLedger, spec, "b", 10, 0)).isEmpty();
    long granted = 0;
    for (int i = 0; i < 15 && granted == 0; i++) {
      now += SECOND;
      assertThat(round(sliceLedger, spec, "c", 0, 1)).as("all is kept for who lacks it").isEmpty();
      granted = round(sliceLedger, spec, "b", 10, 0).stream().mapToLong(CellAmount::amount).sum();
    }
    assertThat(granted).isEqualTo(10);
    assertThat(now / SECOND).isLessThanOrEqualTo(START / SECOND + 60 + 12);
  }

  private static CellAmount[] spent(long first, long last) {
    CellAmount[] parts = new CellAmount[(int) (last - first) + 1];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new CellAmount(first + i, 1);
    }
    return parts;
  }

  @Test
  void slots_areAnIntervalApartAndHandedOutOnce() {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(3, 1), 0);
    SliceLedger sliceLedger = shares(spec);
    long first = now + 2_000;
    assertThat(round(sliceLedger, spec, "a", 1, 2))
        .containsExactly(
            new CellAmount(first, 1),
            new CellAmount(first + 333_334, 1),
            new CellAmount(first + 666_667, 1));
    now += SECOND / 2;
    assertThat(round(sliceLedger, spec, "a", 0, 1))
        .containsExactly(new CellAmount(first + SECOND, 1));
    now += 10 * SECOND;
    assertThat(round(sliceLedger, spec, "a", 1, 0)).containsExactly(new CellAmount(now + 2_000, 1));
  }

  @Test
  void slotsCloserThanFiveMillis_areOnePart() {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(1_000, 1), 0);
    long first = now + 2_000;
    assertThat(round(shares(spec), spec, "a", 0, 12))
        .containsExactly(
            new CellAmount(first, 5),
            new CellAmount(first + 5_000, 5),
            new CellAmount(first + 10_000, 2));
  }

  @Test
  void slotsLaterThanASliceLives_areNotHandedOutYet() {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(1, 10), 0);
    SliceLedger sliceLedger = shares(spec);
    long first = now + 2_000;
    assertThat(round(sliceLedger, spec, "a", 1, 5)).containsExactly(new CellAmount(first, 1));
    assertThat(sliceLedger.idle(now + TTL + 1, TTL)).isFalse();
    now += 10 * SECOND - TTL;
    assertThat(round(sliceLedger, spec, "a", 1, 0)).isEmpty();
    now += 2_000;
    assertThat(round(sliceLedger, spec, "b", 1, 0)).as("a lacks it longer").isEmpty();
    assertThat(round(sliceLedger, spec, "a", 1, 0))
        .containsExactly(new CellAmount(first + 10 * SECOND, 1));
  }

  @Test
  void slotsThatManyWant_areHandedOutInSmallRuns() {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(10, 1), 0);
    SliceLedger sliceLedger = shares(spec);
    round(sliceLedger, spec, "b", 0, 0);
    assertThat(round(sliceLedger, spec, "a", 0, 50)).hasSize(5);
    assertThat(round(sliceLedger, spec, "b", 0, 50)).hasSize(3);
  }

  @Test
  void slots_areNeverBeforeWhatIsOfUseNorInBarredTime() {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(10, 1), 0);
    SliceLedger sliceLedger = shares(spec);
    CellPartition at = CellPartition.of(spec);
    SliceLedger.Report late =
        new SliceLedger.Report(
            "a", ++number, now + 60_000, List.of(), 1, 0, SliceLedger.NONE, SliceLedger.NONE);
    assertThat(sliceLedger.round(late, at, now, TTL).parts())
        .containsExactly(new CellAmount(now + 60_000, 1));
    SliceLedger.Report barred =
        new SliceLedger.Report("a", ++number, 0, List.of(), 1, 0, now + SECOND, SliceLedger.NONE);
    assertThat(sliceLedger.round(barred, at, now, TTL).parts())
        .containsExactly(new CellAmount(now + SECOND + 1, 1));
  }

  private static final LimitSpec SPAN = new LimitSpec.Day(10, null, SECOND * 1_000);
  private static final long DAY = 86_400 * SECOND;

  @Test
  void memberSaysLaterThatTheSpanBeganEarlier_bothCountAndItEndsEarlier() {
    SliceLedger sliceLedger = shares(SPAN);
    long first = now - 5 * SECOND;
    assertThat(round(sliceLedger, SPAN, "knows of none", 0, 3))
        .containsExactly(new CellAmount(now, 3));
    long second = now;
    now += SECOND;
    assertThat(round(sliceLedger, SPAN, "a", 5, 0, new CellAmount(first, 6))).isEmpty();
    assertThat(round(sliceLedger, SPAN, "a", 1, 0, new CellAmount(first, 6)))
        .containsExactly(new CellAmount(first, 1));
    assertThat(round(sliceLedger, SPAN, "knows of none", 1, 0, new CellAmount(second, 3)))
        .isEmpty();
    now = first + DAY + SECOND;
    assertThat(round(sliceLedger, SPAN, "b", 10, 0)).containsExactly(new CellAmount(now, 10));
    assertThat(round(sliceLedger, SPAN, "a", 1, 0, new CellAmount(second, 3))).isEmpty();
  }

  @Test
  void spanThatBeganEarlierIsBarred_nothingIsGrantedUntilItIsOver() {
    SliceLedger sliceLedger = shares(SPAN);
    long first = now - 5 * SECOND;
    assertThat(round(sliceLedger, SPAN, "knows of none", 0, 3))
        .containsExactly(new CellAmount(now, 3));
    SliceLedger.Report bars =
        new SliceLedger.Report("a", ++number, 0, List.of(), 1, 0, first, SliceLedger.NONE);
    assertThat(sliceLedger.round(bars, CellPartition.of(SPAN), now, TTL).parts()).isEmpty();
    now = first + DAY + SECOND - 1;
    assertThat(round(sliceLedger, SPAN, "b", 1, 0)).isEmpty();
    now++;
    assertThat(round(sliceLedger, SPAN, "b", 10, 0)).containsExactly(new CellAmount(now, 10));
  }

  @Test
  void spanIsOver_whatIsSaidOfItCountsNoMore() {
    SliceLedger sliceLedger = shares(SPAN);
    long first = now;
    assertThat(round(sliceLedger, SPAN, "a", 0, 10)).containsExactly(new CellAmount(first, 10));
    now = first + DAY + SECOND - 1;
    assertThat(round(sliceLedger, SPAN, "b", 1, 0, new CellAmount(first, 10))).isEmpty();
    now++;
    CellAmount late = new CellAmount(first + SECOND, 10);
    assertThat(round(sliceLedger, SPAN, "b", 10, 0, late)).containsExactly(new CellAmount(now, 10));
  }

  @Test
  void slidingWindow_hasTheCellsOfATrailingOne() {
    assertThat(CellPartition.of(new LimitSpec.SlidingWindow(7, 60 * NANOS)))
        .isEqualTo(CellPartition.of(new LimitSpec.TrailingWindow(7, 60 * NANOS, 0, 1)));
  }

  @Test
  void anotherBirthIsKnown_nothingIsGrantedWhileOldSlicesLast() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 100 * NANOS);
    SliceLedger sliceLedger = shares(spec);
    SliceLedger.Report knows =
        new SliceLedger.Report(
            "a", ++number, 0, List.of(), 0, 5, SliceLedger.NONE, now - 7 * SECOND);
    SliceLedger.Granted told = sliceLedger.round(knows, CellPartition.of(spec), now, TTL);
    assertThat(told)
        .isEqualTo(
            new SliceLedger.Granted(
                10, now, List.of(), SliceLedger.NONE, new SharedRemainder(10, now)));
    now += TTL - 1;
    assertThat(round(sliceLedger, spec, "b", 0, 5)).isEmpty();
    now++;
    assertThat(round(sliceLedger, spec, "b", 0, 5)).hasSize(1);
  }

  @Test
  void leftAlone_endsAfterAnHour() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    SliceLedger sliceLedger = shares(spec);
    round(sliceLedger, spec, "a", 0, 10);
    assertThat(sliceLedger.ends(now + 3_600 * SECOND, TTL)).isFalse();
    assertThat(sliceLedger.ends(now + 3_600 * SECOND + 1, TTL)).isTrue();
  }

  @Test
  void nothingCounts_idle() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    SliceLedger sliceLedger = shares(spec);
    round(sliceLedger, spec, "a", 0, 10);
    assertThat(sliceLedger.idle(now + TTL + 1, TTL)).isFalse();
    assertThat(sliceLedger.idle(now + 5 * SECOND, TTL)).isTrue();
  }

  @Test
  void kindsWithoutCells_areSaidNotToBeShared() {
    assertThatThrownBy(() -> CellPartition.of(new LimitSpec.SlidingWindow(1, 10 * NANOS - 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("under 10 s");
    assertThatThrownBy(() -> CellPartition.of(new LimitSpec.Unlimited()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
