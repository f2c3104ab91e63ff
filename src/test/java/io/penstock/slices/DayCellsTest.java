package io.penstock.slices;

import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests how the time of a shared limit is divided into days. */
class DayCellsTest {
  private static final long MICRO = 1_000;
  private static final long DAY = 86_400_000_000L * MICRO;
  private static final long HOUR = 3_600 * SECOND;

  /** Guard time after a day, before the day counts as over. */
  private static final long LATE = 300 * MILLI;

  private static final long MIDNIGHT = 20_000 * DAY;
  private static final LimitSpec SPAN = new LimitSpec.Day(10, null, LATE);

  /** Any instant of the third day. */
  private static final long FIRST = 20_000 * DAY + 5 * HOUR;

  private static LimitCells of(LimitSpec spec) {
    return Objects.requireNonNull(LimitCells.of(spec));
  }

  private static LimitSpec days(ZoneId zone) {
    return new LimitSpec.Day(10, new ZoneMidnights(zone, () -> 0), LATE);
  }

  private static LimitCells utc() {
    return of(days(ZoneOffset.UTC));
  }

  /** Returns cells after a grant in a day of 24 h that began at the given instant. */
  private static LimitCells begun(long nanos) {
    LimitCells limitCells = of(SPAN);
    begin(limitCells, nanos);
    return limitCells;
  }

  private static void begin(LimitCells limitCells, long nanos) {
    limitCells.learnDayStart(List.of(new CellAmount(nanos / MICRO, 1)));
  }

  private static void assertEndsAt(LimitCells limitCells, long cell, long instant) {
    assertThat(limitCells.isOver(cell, instant - 1)).isFalse();
    assertThat(limitCells.isOver(cell, instant)).isTrue();
  }

  private static void assertCountsFor(LimitCells limitCells, long nanos) {
    assertThat(limitCells.counts(FIRST, FIRST + nanos)).isTrue();
    assertThat(limitCells.counts(FIRST, FIRST + nanos + 1)).isFalse();
  }

  @Test
  void dayOfTheCalendar_beginsAndEndsItsGuardLate() {
    long day = MIDNIGHT / MICRO;
    assertThat(utc().at(MIDNIGHT + LATE)).isEqualTo(day);
    assertThat(utc().at(MIDNIGHT + LATE - MICRO)).isEqualTo(day - DAY / MICRO);
    assertThat(utc().at(MIDNIGHT + DAY)).isEqualTo(day);
    assertThat(utc().oldest(MIDNIGHT + HOUR)).isEqualTo(day);
    assertThat(utc().lastOf(MIDNIGHT + HOUR)).isEqualTo(day);
    assertEndsAt(utc(), day, MIDNIGHT + DAY + LATE);
  }

  @Test
  void dayThatWasAskedFor_isLeftAtItsVeryEndAndWhenTheClockIsSetBack() {
    LimitCells limitCells = utc();
    long day = MIDNIGHT / MICRO;
    assertThat(limitCells.at(MIDNIGHT + HOUR)).isEqualTo(day);
    assertThat(limitCells.at(MIDNIGHT + DAY + LATE - MICRO)).isEqualTo(day);
    assertThat(limitCells.at(MIDNIGHT + DAY + LATE)).isEqualTo(day + DAY / MICRO);
    assertThat(limitCells.at(MIDNIGHT + DAY + LATE - MICRO)).isEqualTo(day);
    assertThat(limitCells.at(MIDNIGHT - 2 * DAY)).isEqualTo(day - 3 * DAY / MICRO);
    assertThat(limitCells.at(MIDNIGHT + 5 * DAY + HOUR)).isEqualTo(day + 5 * DAY / MICRO);
  }

  @Test
  void otherDayThanTheOneThatRuns_endsWhereItDoes() {
    LimitCells limitCells = utc();
    assertThat(limitCells.at(MIDNIGHT + HOUR)).isEqualTo(MIDNIGHT / MICRO);
    assertEndsAt(limitCells, MIDNIGHT / MICRO, MIDNIGHT + DAY + LATE);
    assertEndsAt(limitCells, (MIDNIGHT - DAY) / MICRO, MIDNIGHT + LATE);
  }

  @Test
  void dayOfWhichAnHourIsMissing_isAsShortAsItIs() {
    ZoneId zone = ZoneId.of("Europe/Berlin");
    long starts = ZonedDateTime.of(2026, 3, 29, 0, 0, 0, 0, zone).toEpochSecond() * SECOND;
    LimitCells limitCells = of(days(zone));
    assertThat(limitCells.at(starts + 12 * HOUR)).isEqualTo(starts / MICRO);
    assertEndsAt(limitCells, starts / MICRO, starts + 23 * HOUR + LATE);
  }

  @Test
  void dayOfTheCalendar_countsForTheLongestMonth() {
    assertCountsFor(utc(), 31 * DAY + 2 * HOUR + LATE);
  }

  @Test
  void dayOfTwentyFourHours_countsThatLongAndItsGuard() {
    assertCountsFor(of(SPAN), DAY + LATE);
  }

  @Test
  void dayThatNobodyBegan_wouldBeginNow_andAnyOfTheLastDayMayCount() {
    LimitCells limitCells = of(SPAN);
    limitCells.learnDayStart(List.of());
    assertThat(limitCells.at(FIRST)).isEqualTo(FIRST / MICRO);
    assertThat(limitCells.lastOf(FIRST)).isEqualTo(FIRST / MICRO);
    assertThat(limitCells.oldest(FIRST)).isEqualTo((FIRST - DAY - LATE) / MICRO);
    assertThat(limitCells.oldest(HOUR)).isZero();
  }

  @Test
  void dayThatBegan_runsForTwentyFourHoursAndItsGuard() {
    LimitCells limitCells = begun(FIRST);
    long last = FIRST + DAY + LATE - 1;
    assertThat(limitCells.at(FIRST + HOUR)).isEqualTo(FIRST / MICRO);
    assertThat(limitCells.at(last)).isEqualTo(FIRST / MICRO);
    assertThat(limitCells.at(last + 1)).isEqualTo((last + 1) / MICRO);
    assertThat(limitCells.oldest(last)).isEqualTo(FIRST / MICRO);
    assertThat(limitCells.lastOf(FIRST + HOUR)).isEqualTo(FIRST / MICRO);
    assertEndsAt(limitCells, FIRST / MICRO, last + 1);
  }

  @Test
  void dayThatEnded_isFollowedByOneThatBeganNoSoonerThanItsEnd() {
    LimitCells limitCells = begun(FIRST);
    long ended = FIRST + DAY;
    assertThat(limitCells.oldest(ended + HOUR)).isEqualTo(ended / MICRO);
    long later = ended + 2 * DAY;
    assertThat(limitCells.oldest(later)).isEqualTo((later - DAY - LATE) / MICRO);
  }

  @Test
  void dayThatBeginsLater_isNotTheLastOfWhatWasSpentBefore() {
    assertThat(begun(FIRST).lastOf(FIRST - HOUR)).isEqualTo((FIRST - HOUR) / MICRO);
  }

  @Test
  void limitThatHadOtherCells_isNotSaidToHaveSpentAnythingBeforeADayIsKnown() {
    LimitCells limitCells = Objects.requireNonNull(LimitCells.changed(SPAN));
    assertThat(limitCells.oldest(FIRST)).isEqualTo(FIRST / MICRO);
    begin(limitCells, FIRST - 3 * DAY);
    assertThat(limitCells.oldest(FIRST)).isEqualTo((FIRST - DAY - LATE) / MICRO);
  }

  @Test
  void limitThatHadOtherCells_isStillSuchAfterAnotherCapacity() {
    LimitCells limitCells = Objects.requireNonNull(LimitCells.changed(SPAN));
    LimitCells next = Objects.requireNonNull(limitCells.become(new LimitSpec.Day(99, null, LATE)));
    assertThat(next.oldest(FIRST)).isEqualTo(FIRST / MICRO);
  }

  @Test
  void capacityThatChanges_leavesTheDayThatBegan() {
    LimitCells next =
        Objects.requireNonNull(begun(FIRST).become(new LimitSpec.Day(99, null, LATE)));
    assertThat(next.at(FIRST + HOUR)).isEqualTo(FIRST / MICRO);
  }

  @Test
  void grantedBeforeItWasKnownThatTheDayBeganEarlier_endsWithThatDay() {
    LimitCells limitCells = begun(FIRST);
    long first = FIRST / MICRO;
    long ends = FIRST + DAY + LATE;
    assertEndsAt(limitCells, first + 1, ends);
    assertEndsAt(limitCells, first + DAY / MICRO - 1, ends);
    assertEndsAt(limitCells, first + DAY / MICRO, ends + DAY);
    assertEndsAt(limitCells, first - 1, ends - MICRO);
  }

  @Test
  void grantedWhereNoDayIsKnown_isADayOfItsOwn() {
    assertEndsAt(of(SPAN), 5, 5 * MICRO + DAY + LATE);
  }

  @Test
  void daysOfTheCalendar_doNotBeginWithWhatIsGranted() {
    LimitCells limitCells = utc();
    begin(limitCells, FIRST);
    assertThat(limitCells.at(FIRST + HOUR)).isEqualTo(MIDNIGHT / MICRO);
  }
}
