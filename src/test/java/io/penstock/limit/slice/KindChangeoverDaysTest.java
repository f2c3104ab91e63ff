package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.DAY;
import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.NANOS;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.START;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** Tests of limits with a kind that changes from or to days. */
class KindChangeoverDaysTest {
  private static final long HOUR = 60 * MINUTE;
  private static final ZoneId PACIFIC = ZoneId.of("America/Los_Angeles");
  private static final long MIDNIGHT = START - START % DAY;
  private static final long PACIFIC_MIDNIGHT = MIDNIGHT + 8 * HOUR;
  private static final LimitSpec UTC = day(ZoneOffset.UTC, 0);
  private static final LimitSpec FIRST_USE = new LimitSpec.Day(10, null, 0);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  private final LedgerFixture ledgerFixture = new LedgerFixture();

  private static LimitSpec day(ZoneId zone, long guardMicros) {
    return new LimitSpec.Day(10, new ZoneMidnights(zone, () -> 0), guardMicros * 1_000);
  }

  private static long left(LedgerFixture ledgerFixture, LimitSpec spec) {
    return ledgerFixture.member("new", spec).round().left().amount();
  }

  private long left(LimitSpec spec) {
    return left(ledgerFixture, spec);
  }

  @Test
  void daysOfAnotherZone_haveWhatTheOldOnesLeave() {
    ledgerFixture.member("old", UTC).spent(MIDNIGHT, 4).gets();
    LimitSpec pacific = day(PACIFIC, 0);
    assertThat(ledgerFixture.member("new", pacific).lacks(7).gets()).isEmpty();
    assertThat(ledgerFixture.member("new", pacific).lacks(6).gets())
        .containsExactly(part(PACIFIC_MIDNIGHT, 6));
    assertThat(ledgerFixture.member("old", UTC).spent(MIDNIGHT, 3).lacks(2).gets()).isEmpty();
    assertThat(ledgerFixture.member("old", UTC).spent(MIDNIGHT, 3).lacks(1).gets())
        .containsExactly(part(MIDNIGHT, 1));
  }

  @Test
  void calendarDaysThatWereNotSharedForLong_areThoseOfAnyZone() {
    ledgerFixture.member("old", UTC).spent(MIDNIGHT, 4).gets();
    ledgerFixture.after(-4 * DAY);
    assertThat(ledgerFixture.member("new", day(PACIFIC, 0)).lacks(1).gets())
        .as("the clock was set back")
        .isEmpty();
  }

  @Test
  void calendarDayEnds_newKindHasTheNextOne() {
    ledgerFixture.now = MIDNIGHT + DAY - 10 * SECOND;
    ledgerFixture.member("old", UTC).spent(part(MIDNIGHT, 4), part(MIDNIGHT + DAY, 3)).gets();
    assertThat(left(FIRST_USE)).isEqualTo(6);
    ledgerFixture.now = MIDNIGHT + DAY - 1;
    assertThat(left(FIRST_USE)).isEqualTo(6);
    ledgerFixture.now = MIDNIGHT + DAY;
    assertThat(left(FIRST_USE)).isEqualTo(7);
  }

  @Test
  void calendarDayHasAGuard_itEndsThatMuchLater() {
    ledgerFixture.now = MIDNIGHT + DAY + HOUR - 10 * SECOND;
    LimitSpec late = day(ZoneOffset.UTC, HOUR);
    ledgerFixture.member("old", late).spent(part(MIDNIGHT, 4), part(MIDNIGHT + DAY, 3)).gets();
    ledgerFixture.now = MIDNIGHT + DAY + HOUR - 1;
    assertThat(left(FIRST_USE)).isEqualTo(6);
    ledgerFixture.after(1);
    assertThat(left(FIRST_USE)).isEqualTo(7);
  }

  /**
   * Returns what is left some time after midnight in the Pacific zone, when no member has the old
   * kind.
   */
  private static long leftInThePacific(long after) {
    LedgerFixture ledgerFixture = new LedgerFixture();
    LimitSpec old = day(PACIFIC, 0);
    ledgerFixture.now = PACIFIC_MIDNIGHT + DAY - TTL;
    ledgerFixture
        .member("old", old)
        .spent(part(PACIFIC_MIDNIGHT, 4), part(PACIFIC_MIDNIGHT + DAY, 3))
        .gets();
    ledgerFixture.now = PACIFIC_MIDNIGHT + DAY + after;
    return left(ledgerFixture, FIRST_USE);
  }

  @Test
  void calendarDayOfAnotherZoneEnds_anHourIsWaitedForTheLongestDay() {
    assertThat(leftInThePacific(HOUR - 1)).as("both days may run").isEqualTo(3);
    assertThat(leftInThePacific(HOUR)).isEqualTo(7);
    assertThat(leftInThePacific(DAY + HOUR - 1)).isEqualTo(7);
    assertThat(leftInThePacific(DAY + HOUR)).isEqualTo(10);
  }

  @Test
  void calendarMonth_isNotOverAfterADay() {
    LedgerFixture month = new LedgerFixture(31 * DAY);
    ZoneMidnights first = new ZoneMidnights(ZoneOffset.UTC, () -> 0, ZoneMidnights.Each.MONTH);
    long november = Instant.parse("2023-11-01T00:00:00Z").getEpochSecond() * SECOND;
    month.member("old", new LimitSpec.Day(10, first, 0)).spent(november, 4).gets();
    assertThat(left(month, FIRST_USE)).isEqualTo(6);
  }

  @Test
  void dayOfFirstUseEnds_newKindHasTheNextOne() {
    LimitSpec late = new LimitSpec.Day(10, null, 3_600 * NANOS);
    ledgerFixture.member("old", late).spent(START, 4).gets();
    assertThat(left(UTC)).isEqualTo(6);
    ledgerFixture.now = START + DAY + HOUR - SECOND;
    ledgerFixture.member("old", late).spent(START, 4).gets();
    ledgerFixture.now = START + DAY + HOUR - 1;
    assertThat(left(UTC)).isEqualTo(6);
    ledgerFixture.now = START + DAY + HOUR;
    assertThat(left(UTC)).isEqualTo(10);
  }

  @Test
  void dayOfFirstUseIsBarred_newKindIsTold() {
    ledgerFixture.member("old", FIRST_USE).spent(START, 4).bars(START).gets();
    assertThat(ledgerFixture.member("new", UTC).lacks(1).round().barred()).isEqualTo(MIDNIGHT);
    assertThat(ledgerFixture.member("new", PERMITS).lacks(1).gets()).isEmpty();
  }

  @Test
  void knowsNoDayOfFirstUseYet_whatItHadSpentCountsBeforeWhatItSays() {
    ledgerFixture.member("a", UTC).spent(MIDNIGHT, 4).gets();
    assertThat(ledgerFixture.member("a", FIRST_USE).from(START).lacks(7).gets()).isEmpty();
    assertThat(ledgerFixture.member("a", FIRST_USE).from(START).lacks(6).gets())
        .containsExactly(part(START - 1, 6));
  }

  @Test
  void saysWhatItSpentInADayOfFirstUse_thatCountsInstead() {
    ledgerFixture.member("a", UTC).spent(MIDNIGHT, 4).gets();
    assertThat(ledgerFixture.member("a", FIRST_USE).from(START).spent(START, 3).lacks(7).gets())
        .containsExactly(part(START, 7));
  }

  @Test
  void saysThatItSpentNothingEver_nothingCounts() {
    ledgerFixture.member("a", UTC).spent(MIDNIGHT, 4).gets();
    assertThat(ledgerFixture.member("a", FIRST_USE).lacks(10).gets())
        .containsExactly(part(START, 10));
  }

  @Test
  void returnsToDaysOfFirstUseKnowingNone_whatItSpentElsewhereStays() {
    ledgerFixture.member("b", FIRST_USE).gets();
    ledgerFixture.member("a", UTC).lacks(4).gets();
    assertThat(ledgerFixture.member("a", FIRST_USE).from(START).round().left().amount())
        .isEqualTo(6);
    assertThat(ledgerFixture.member("b", FIRST_USE).lacks(7).gets()).isEmpty();
    assertThat(ledgerFixture.member("b", FIRST_USE).lacks(6).gets()).hasSize(1);
    assertThat(ledgerFixture.member("a", FIRST_USE).from(START - 1).round().left().amount())
        .as("it says that it spent nothing")
        .isEqualTo(4);
  }

  @Test
  void returnsHavingSpentNothingElsewhere_isForgottenOnceSilent() {
    ledgerFixture.member("b", FIRST_USE).gets();
    ledgerFixture.member("a", UTC).gets();
    ledgerFixture.member("a", FIRST_USE).from(START).gets();
    long number = ledgerFixture.number();
    ledgerFixture.after(TTL + 1).member("b", FIRST_USE).gets();
    assertThat(ledgerFixture.member("a", FIRST_USE).round(number)).isNotEqualTo(SliceLedger.LATE);
  }

  @Test
  void memberThatStayedSaysItSpentNothing_othersHaveIt() {
    ledgerFixture.member("a", FIRST_USE).lacks(4).gets();
    ledgerFixture.member("a", FIRST_USE).from(START).gets();
    assertThat(ledgerFixture.member("b", FIRST_USE).lacks(10).gets()).hasSize(1);
  }

  @Test
  void allIsGivenBackInTheNextDay_nothingCountsAnyMore() {
    ledgerFixture.now = MIDNIGHT + DAY - SECOND;
    ledgerFixture.member("old", UTC).gets();
    ledgerFixture.member("new", PERMITS).lacks(4).gets();
    ledgerFixture.after(SECOND).member("old", UTC).gets();
    ledgerFixture.member("new", PERMITS).lacks(2).spent(0, 4).gets();
    ledgerFixture.member("new", PERMITS).spent(0, 4).gets();
    ledgerFixture.after(HOUR);
    assertThat(ledgerFixture.ends()).isFalse();
    assertThat(ledgerFixture.after(1).ends()).isTrue();
  }
}
