package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.limit.Shares.Part;
import io.penstock.time.Midnight;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharesTest {
  private static final long SECOND = 1_000_000;
  private static final long TTL = 2 * SECOND;
  private static final long NANOS = 1_000_000_000;
  private static final long START = 1_700_000_000L * SECOND;

  private long number;
  private long now = START;

  private List<Part> round(
      Shares shares, LimitSpec spec, String member, long head, long wanted, Part... uses) {
    number++;
    Shares.Report report =
        new Shares.Report(member, number, 0, List.of(uses), head, wanted, Shares.NONE, Shares.NONE);
    return shares.round(report, Partition.of(spec), now, TTL).parts();
  }

  private static Shares shares(LimitSpec spec) {
    return new Shares(Partition.of(spec));
  }

  private static Part out(long amount) {
    return new Part(Partition.OUT, amount);
  }

  @Test
  void bucket_isTakenFromAndFillsWithWhatWasSpent() {
    LimitSpec spec = new LimitSpec.TokenBucket(Rate.of(BigDecimal.TEN, 1), 50);
    Shares shares = shares(spec);
    long minute = now / (60 * SECOND);
    assertThat(round(shares, spec, "a", 0, 80)).containsExactly(out(50));
    assertThat(round(shares, spec, "a", 1, 0, new Part(minute, 50))).isEmpty();
    now += SECOND;
    assertThat(round(shares, spec, "a", 11, 0, new Part(minute, 50))).isEmpty();
    assertThat(round(shares, spec, "a", 10, 0, new Part(minute, 50))).containsExactly(out(10));
  }

  @Test
  void tokensThatAreOut_areNotFilledInHoweverLong() {
    LimitSpec spec = new LimitSpec.TokenBucket(new Rate(10, 1), 50);
    Shares shares = shares(spec);
    assertThat(round(shares, spec, "a", 0, 30)).containsExactly(out(30));
    for (int each = 0; each < 100; each++) {
      now += SECOND;
      round(shares, spec, "a", 0, 0, out(30));
      assertThat(round(shares, spec, "b", 21, 0)).isEmpty();
    }
    round(shares, spec, "a", 0, 0);
    assertThat(round(shares, spec, "b", 21, 0)).containsExactly(out(21));
  }

  @Test
  void tokensOfWhoIsSilent_areSpent() {
    LimitSpec spec = new LimitSpec.TokenBucket(new Rate(1, 10), 50);
    Shares shares = shares(spec);
    assertThat(round(shares, spec, "a", 0, 30)).containsExactly(out(30));
    now += TTL + 1;
    assertThat(round(shares, spec, "b", 21, 0)).isEmpty();
    now += 10 * SECOND;
    assertThat(round(shares, spec, "b", 21, 0)).containsExactly(out(21));
  }

  @Test
  void bucketReportedUnspent_isRefundedOnce() {
    LimitSpec spec = new LimitSpec.TokenBucket(new Rate(1, 1000), 50);
    Shares shares = shares(spec);
    long minute = now / (60 * SECOND);
    round(shares, spec, "a", 0, 50);
    round(shares, spec, "a", 0, 0, new Part(minute, 20));
    assertThat(round(shares, spec, "a", 31, 0, new Part(minute, 20))).isEmpty();
    assertThat(round(shares, spec, "a", 30, 0, new Part(minute, 20))).containsExactly(out(30));
  }

  @Test
  void bucketSpentBeyond_isBelowZeroUntilItFills() {
    LimitSpec spec = new LimitSpec.TokenBucket(new Rate(10, 1), 50);
    Shares shares = shares(spec);
    long minute = now / (60 * SECOND);
    round(shares, spec, "a", 0, 50);
    round(shares, spec, "a", 0, 0, new Part(minute, 70));
    now += 2 * SECOND;
    assertThat(round(shares, spec, "a", 1, 0, new Part(minute, 70))).isEmpty();
    now += SECOND;
    assertThat(round(shares, spec, "a", 10, 0, new Part(minute, 70))).containsExactly(out(10));
  }

  @Test
  void calendarDay_isNumberedByItsMidnight() {
    Midnight midnight = new Midnight(ZoneId.of("America/Los_Angeles"), () -> 0);
    LimitSpec spec = new LimitSpec.Day(10, midnight, 0);
    long edge = Instant.parse("2026-11-01T07:00:00Z").toEpochMilli() * 1_000;
    now = edge - SECOND;
    Shares shares = shares(spec);
    assertThat(round(shares, spec, "a", 0, 15))
        .containsExactly(new Part(edge - 24 * 3_600 * SECOND, 10), new Part(edge, 5));
    // clocks go back that day: it has 25 hours
    now = edge + 25 * 3_600 * SECOND - 1;
    assertThat(round(shares, spec, "b", 6, 0)).isEqualTo(List.of(new Part(now + 1, 6)));
    assertThat(round(shares, spec, "c", 5, 0)).containsExactly(new Part(edge, 5));
  }

  @Test
  void clockSetBack_grantsNothingUntilItIsWhereItWas() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    Shares shares = shares(spec);
    round(shares, spec, "a", 0, 10);
    now += 5 * SECOND;
    round(shares, spec, "a", 0, 10);
    now -= 5 * SECOND;
    assertThat(round(shares, spec, "a", 1, 0)).isEmpty();
    now += 5 * SECOND;
    assertThat(round(shares, spec, "a", 1, 0)).hasSize(1);
  }

  @Test
  void headAboveTheCapacity_isGrantedTheCapacity() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    assertThat(round(shares(spec), spec, "a", 25, 0)).containsExactly(new Part(340_000_000, 10));
  }

  @Test
  void headInATrailingWindow_getsWhatFreesBitByBit() {
    LimitSpec spec = new LimitSpec.TrailingWindow(60, 60 * NANOS, 0, 60);
    Shares shares = shares(spec);
    for (int i = 0; i < 60; i++) {
      long cell = now / SECOND;
      round(shares, spec, "a", 1, 0);
      round(shares, spec, "a", 0, 0, spent(cell - i, cell));
      now += SECOND;
    }
    assertThat(round(shares, spec, "b", 10, 0)).isEmpty();
    long granted = 0;
    for (int i = 0; i < 15 && granted == 0; i++) {
      now += SECOND;
      assertThat(round(shares, spec, "c", 0, 1)).as("all is kept for who lacks it").isEmpty();
      granted = round(shares, spec, "b", 10, 0).stream().mapToLong(Part::amount).sum();
    }
    assertThat(granted).isEqualTo(10);
    assertThat(now / SECOND).isLessThanOrEqualTo(START / SECOND + 60 + 12);
  }

  private static Part[] spent(long first, long last) {
    Part[] parts = new Part[(int) (last - first) + 1];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new Part(first + i, 1);
    }
    return parts;
  }

  @Test
  void slots_areAnIntervalApartAndHandedOutOnce() {
    LimitSpec spec = new LimitSpec.Strict(new Rate(3, 1));
    Shares shares = shares(spec);
    long first = now + 2_000;
    assertThat(round(shares, spec, "a", 1, 2))
        .containsExactly(
            new Part(first, 1), new Part(first + 333_334, 1), new Part(first + 666_667, 1));
    now += SECOND / 2;
    assertThat(round(shares, spec, "a", 0, 1)).containsExactly(new Part(first + SECOND, 1));
    now += 10 * SECOND;
    assertThat(round(shares, spec, "a", 1, 0)).containsExactly(new Part(now + 2_000, 1));
  }

  @Test
  void slotsCloserThanFiveMillis_areOnePart() {
    LimitSpec spec = new LimitSpec.Strict(new Rate(1_000, 1));
    long first = now + 2_000;
    assertThat(round(shares(spec), spec, "a", 0, 12))
        .containsExactly(
            new Part(first, 5), new Part(first + 5_000, 5), new Part(first + 10_000, 2));
  }

  @Test
  void slotsLaterThanASliceLives_areNotHandedOutYet() {
    LimitSpec spec = new LimitSpec.Strict(new Rate(1, 10));
    Shares shares = shares(spec);
    long first = now + 2_000;
    assertThat(round(shares, spec, "a", 1, 5)).containsExactly(new Part(first, 1));
    assertThat(shares.idle(now + TTL + 1, TTL)).isFalse();
    now += 10 * SECOND - TTL;
    assertThat(round(shares, spec, "a", 1, 0)).isEmpty();
    now += 2_000;
    assertThat(round(shares, spec, "b", 1, 0)).as("a lacks it longer").isEmpty();
    assertThat(round(shares, spec, "a", 1, 0)).containsExactly(new Part(first + 10 * SECOND, 1));
  }

  @Test
  void slotsThatManyWant_areHandedOutInSmallRuns() {
    LimitSpec spec = new LimitSpec.Strict(new Rate(10, 1));
    Shares shares = shares(spec);
    round(shares, spec, "b", 0, 0);
    assertThat(round(shares, spec, "a", 0, 50)).hasSize(5);
    assertThat(round(shares, spec, "b", 0, 50)).hasSize(3);
  }

  @Test
  void slots_areNeverBeforeWhatIsOfUseNorInBarredTime() {
    LimitSpec spec = new LimitSpec.Strict(new Rate(10, 1));
    Shares shares = shares(spec);
    Partition at = Partition.of(spec);
    Shares.Report late =
        new Shares.Report("a", ++number, now + 60_000, List.of(), 1, 0, Shares.NONE, Shares.NONE);
    assertThat(shares.round(late, at, now, TTL).parts()).containsExactly(new Part(now + 60_000, 1));
    Shares.Report barred =
        new Shares.Report("a", ++number, 0, List.of(), 1, 0, now + SECOND, Shares.NONE);
    assertThat(shares.round(barred, at, now, TTL).parts())
        .containsExactly(new Part(now + SECOND + 1, 1));
  }

  private static final LimitSpec SPAN = new LimitSpec.Day(10, null, SECOND * 1_000);
  private static final long DAY = 86_400 * SECOND;

  @Test
  void memberSaysLaterThatTheSpanBeganEarlier_bothCountAndItEndsEarlier() {
    Shares shares = shares(SPAN);
    long first = now - 5 * SECOND;
    assertThat(round(shares, SPAN, "knows of none", 0, 3)).containsExactly(new Part(now, 3));
    long second = now;
    now += SECOND;
    assertThat(round(shares, SPAN, "a", 5, 0, new Part(first, 6))).isEmpty();
    assertThat(round(shares, SPAN, "a", 1, 0, new Part(first, 6)))
        .containsExactly(new Part(first, 1));
    assertThat(round(shares, SPAN, "knows of none", 1, 0, new Part(second, 3))).isEmpty();
    now = first + DAY + SECOND;
    assertThat(round(shares, SPAN, "b", 10, 0)).containsExactly(new Part(now, 10));
    assertThat(round(shares, SPAN, "a", 1, 0, new Part(second, 3))).isEmpty();
  }

  @Test
  void spanThatBeganEarlierIsBarred_nothingIsGrantedUntilItIsOver() {
    Shares shares = shares(SPAN);
    long first = now - 5 * SECOND;
    assertThat(round(shares, SPAN, "knows of none", 0, 3)).containsExactly(new Part(now, 3));
    Shares.Report bars = new Shares.Report("a", ++number, 0, List.of(), 1, 0, first, Shares.NONE);
    assertThat(shares.round(bars, Partition.of(SPAN), now, TTL).parts()).isEmpty();
    now = first + DAY + SECOND - 1;
    assertThat(round(shares, SPAN, "b", 1, 0)).isEmpty();
    now++;
    assertThat(round(shares, SPAN, "b", 10, 0)).containsExactly(new Part(now, 10));
  }

  @Test
  void spanIsOver_whatIsSaidOfItCountsNoMore() {
    Shares shares = shares(SPAN);
    long first = now;
    assertThat(round(shares, SPAN, "a", 0, 10)).containsExactly(new Part(first, 10));
    now = first + DAY + SECOND - 1;
    assertThat(round(shares, SPAN, "b", 1, 0, new Part(first, 10))).isEmpty();
    now++;
    Part late = new Part(first + SECOND, 10);
    assertThat(round(shares, SPAN, "b", 10, 0, late)).containsExactly(new Part(now, 10));
  }

  @Test
  void slidingWindow_hasTheCellsOfATrailingOne() {
    assertThat(Partition.of(new LimitSpec.SlidingWindow(7, 60 * NANOS)))
        .isEqualTo(Partition.of(new LimitSpec.TrailingWindow(7, 60 * NANOS, 0, 1)));
  }

  @Test
  void anotherBirthIsKnown_nothingIsGrantedWhileOldSlicesLast() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 100 * NANOS);
    Shares shares = shares(spec);
    Shares.Report knows =
        new Shares.Report("a", ++number, 0, List.of(), 0, 5, Shares.NONE, now - 7 * SECOND);
    Shares.Granted told = shares.round(knows, Partition.of(spec), now, TTL);
    assertThat(told)
        .isEqualTo(new Shares.Granted(10, now, List.of(), Shares.NONE, new Remainder(10, now)));
    now += TTL - 1;
    assertThat(round(shares, spec, "b", 0, 5)).isEmpty();
    now++;
    assertThat(round(shares, spec, "b", 0, 5)).hasSize(1);
  }

  @Test
  void leftAlone_endsAfterAnHour() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    Shares shares = shares(spec);
    round(shares, spec, "a", 0, 10);
    assertThat(shares.ends(now + 3_600 * SECOND, TTL)).isFalse();
    assertThat(shares.ends(now + 3_600 * SECOND + 1, TTL)).isTrue();
  }

  @Test
  void nothingCounts_idle() {
    LimitSpec spec = new LimitSpec.FixedWindow(10, 5 * NANOS);
    Shares shares = shares(spec);
    round(shares, spec, "a", 0, 10);
    assertThat(shares.idle(now + TTL + 1, TTL)).isFalse();
    assertThat(shares.idle(now + 5 * SECOND, TTL)).isTrue();
  }

  @Test
  void kindsWithoutCells_areSaidNotToBeShared() {
    assertThatThrownBy(() -> Partition.of(new LimitSpec.SlidingWindow(1, 10 * NANOS - 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("under 10 s");
    assertThatThrownBy(() -> Partition.of(new LimitSpec.Unlimited()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
