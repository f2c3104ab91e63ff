package io.penstock.limit;

import static io.penstock.limit.Sharing.DAY;
import static io.penstock.limit.Sharing.MINUTE;
import static io.penstock.limit.Sharing.NANOS;
import static io.penstock.limit.Sharing.SECOND;
import static io.penstock.limit.Sharing.START;
import static io.penstock.limit.Sharing.TTL;
import static io.penstock.limit.Sharing.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Midnight;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** Tests of limits with a kind that changes from or to days. */
class ChangeoverDaysTest {
  private static final long HOUR = 60 * MINUTE;
  private static final ZoneId PACIFIC = ZoneId.of("America/Los_Angeles");
  private static final long MIDNIGHT = START - START % DAY;
  private static final long PACIFIC_MIDNIGHT = MIDNIGHT + 8 * HOUR;
  private static final LimitSpec UTC = day(ZoneOffset.UTC, 0);
  private static final LimitSpec FIRST_USE = new LimitSpec.Day(10, null, 0);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  private final Sharing sharing = new Sharing();

  private static LimitSpec day(ZoneId zone, long guardMicros) {
    return new LimitSpec.Day(10, new Midnight(zone, () -> 0), guardMicros * 1_000);
  }

  private static long left(Sharing sharing, LimitSpec spec) {
    return sharing.member("new", spec).round().left().amount();
  }

  private long left(LimitSpec spec) {
    return left(sharing, spec);
  }

  @Test
  void daysOfAnotherZone_haveWhatTheOldOnesLeave() {
    sharing.member("old", UTC).spent(MIDNIGHT, 4).gets();
    LimitSpec pacific = day(PACIFIC, 0);
    assertThat(sharing.member("new", pacific).lacks(7).gets()).isEmpty();
    assertThat(sharing.member("new", pacific).lacks(6).gets())
        .containsExactly(part(PACIFIC_MIDNIGHT, 6));
    assertThat(sharing.member("old", UTC).spent(MIDNIGHT, 3).lacks(2).gets()).isEmpty();
    assertThat(sharing.member("old", UTC).spent(MIDNIGHT, 3).lacks(1).gets())
        .containsExactly(part(MIDNIGHT, 1));
  }

  @Test
  void calendarDaysThatWereNotSharedForLong_areThoseOfAnyZone() {
    sharing.member("old", UTC).spent(MIDNIGHT, 4).gets();
    sharing.after(-4 * DAY);
    assertThat(sharing.member("new", day(PACIFIC, 0)).lacks(1).gets())
        .as("the clock was set back")
        .isEmpty();
  }

  @Test
  void calendarDayEnds_newKindHasTheNextOne() {
    sharing.now = MIDNIGHT + DAY - 10 * SECOND;
    sharing.member("old", UTC).spent(part(MIDNIGHT, 4), part(MIDNIGHT + DAY, 3)).gets();
    assertThat(left(FIRST_USE)).isEqualTo(6);
    sharing.now = MIDNIGHT + DAY - 1;
    assertThat(left(FIRST_USE)).isEqualTo(6);
    sharing.now = MIDNIGHT + DAY;
    assertThat(left(FIRST_USE)).isEqualTo(7);
  }

  @Test
  void calendarDayHasAGuard_itEndsThatMuchLater() {
    sharing.now = MIDNIGHT + DAY + HOUR - 10 * SECOND;
    LimitSpec late = day(ZoneOffset.UTC, HOUR);
    sharing.member("old", late).spent(part(MIDNIGHT, 4), part(MIDNIGHT + DAY, 3)).gets();
    sharing.now = MIDNIGHT + DAY + HOUR - 1;
    assertThat(left(FIRST_USE)).isEqualTo(6);
    sharing.after(1);
    assertThat(left(FIRST_USE)).isEqualTo(7);
  }

  /**
   * Returns what is left some time after midnight in the Pacific zone, when no member has the old
   * kind.
   */
  private static long leftInThePacific(long after) {
    Sharing sharing = new Sharing();
    LimitSpec old = day(PACIFIC, 0);
    sharing.now = PACIFIC_MIDNIGHT + DAY - TTL;
    sharing
        .member("old", old)
        .spent(part(PACIFIC_MIDNIGHT, 4), part(PACIFIC_MIDNIGHT + DAY, 3))
        .gets();
    sharing.now = PACIFIC_MIDNIGHT + DAY + after;
    return left(sharing, FIRST_USE);
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
    Sharing month = new Sharing(31 * DAY);
    Midnight first = new Midnight(ZoneOffset.UTC, () -> 0, Midnight.Each.MONTH);
    long november = Instant.parse("2023-11-01T00:00:00Z").getEpochSecond() * SECOND;
    month.member("old", new LimitSpec.Day(10, first, 0)).spent(november, 4).gets();
    assertThat(left(month, FIRST_USE)).isEqualTo(6);
  }

  @Test
  void dayOfFirstUseEnds_newKindHasTheNextOne() {
    LimitSpec late = new LimitSpec.Day(10, null, 3_600 * NANOS);
    sharing.member("old", late).spent(START, 4).gets();
    assertThat(left(UTC)).isEqualTo(6);
    sharing.now = START + DAY + HOUR - SECOND;
    sharing.member("old", late).spent(START, 4).gets();
    sharing.now = START + DAY + HOUR - 1;
    assertThat(left(UTC)).isEqualTo(6);
    sharing.now = START + DAY + HOUR;
    assertThat(left(UTC)).isEqualTo(10);
  }

  @Test
  void dayOfFirstUseIsBarred_newKindIsTold() {
    sharing.member("old", FIRST_USE).spent(START, 4).bars(START).gets();
    assertThat(sharing.member("new", UTC).lacks(1).round().barred()).isEqualTo(MIDNIGHT);
    assertThat(sharing.member("new", PERMITS).lacks(1).gets()).isEmpty();
  }

  @Test
  void knowsNoDayOfFirstUseYet_whatItHadSpentCountsBeforeWhatItSays() {
    sharing.member("a", UTC).spent(MIDNIGHT, 4).gets();
    assertThat(sharing.member("a", FIRST_USE).from(START).lacks(7).gets()).isEmpty();
    assertThat(sharing.member("a", FIRST_USE).from(START).lacks(6).gets())
        .containsExactly(part(START - 1, 6));
  }

  @Test
  void saysWhatItSpentInADayOfFirstUse_thatCountsInstead() {
    sharing.member("a", UTC).spent(MIDNIGHT, 4).gets();
    assertThat(sharing.member("a", FIRST_USE).from(START).spent(START, 3).lacks(7).gets())
        .containsExactly(part(START, 7));
  }

  @Test
  void saysThatItSpentNothingEver_nothingCounts() {
    sharing.member("a", UTC).spent(MIDNIGHT, 4).gets();
    assertThat(sharing.member("a", FIRST_USE).lacks(10).gets()).containsExactly(part(START, 10));
  }

  @Test
  void returnsToDaysOfFirstUseKnowingNone_whatItSpentElsewhereStays() {
    sharing.member("b", FIRST_USE).gets();
    sharing.member("a", UTC).lacks(4).gets();
    assertThat(sharing.member("a", FIRST_USE).from(START).round().left().amount()).isEqualTo(6);
    assertThat(sharing.member("b", FIRST_USE).lacks(7).gets()).isEmpty();
    assertThat(sharing.member("b", FIRST_USE).lacks(6).gets()).hasSize(1);
    assertThat(sharing.member("a", FIRST_USE).from(START - 1).round().left().amount())
        .as("it says that it spent nothing")
        .isEqualTo(4);
  }

  @Test
  void returnsHavingSpentNothingElsewhere_isForgottenOnceSilent() {
    sharing.member("b", FIRST_USE).gets();
    sharing.member("a", UTC).gets();
    sharing.member("a", FIRST_USE).from(START).gets();
    long number = sharing.number();
    sharing.after(TTL + 1).member("b", FIRST_USE).gets();
    assertThat(sharing.member("a", FIRST_USE).round(number)).isNotEqualTo(Shares.LATE);
  }

  @Test
  void memberThatStayedSaysItSpentNothing_othersHaveIt() {
    sharing.member("a", FIRST_USE).lacks(4).gets();
    sharing.member("a", FIRST_USE).from(START).gets();
    assertThat(sharing.member("b", FIRST_USE).lacks(10).gets()).hasSize(1);
  }

  @Test
  void allIsGivenBackInTheNextDay_nothingCountsAnyMore() {
    sharing.now = MIDNIGHT + DAY - SECOND;
    sharing.member("old", UTC).gets();
    sharing.member("new", PERMITS).lacks(4).gets();
    sharing.after(SECOND).member("old", UTC).gets();
    sharing.member("new", PERMITS).lacks(2).spent(0, 4).gets();
    sharing.member("new", PERMITS).spent(0, 4).gets();
    sharing.after(HOUR);
    assertThat(sharing.ends()).isFalse();
    assertThat(sharing.after(1).ends()).isTrue();
  }
}
