package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.quota.Supply;
import io.penstock.time.Midnight;
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

  private static Cells of(LimitSpec spec) {
    return Objects.requireNonNull(Cells.of(spec));
  }

  private static LimitSpec days(ZoneId zone) {
    return new LimitSpec.Day(10, new Midnight(zone, () -> 0), LATE);
  }

  private static Cells utc() {
    return of(days(ZoneOffset.UTC));
  }

  /** Returns cells after a grant in a day of 24 h that began at the given instant. */
  private static Cells begun(long nanos) {
    Cells cells = of(SPAN);
    begin(cells, nanos);
    return cells;
  }

  private static void begin(Cells cells, long nanos) {
    cells.heard(List.of(new Supply.Slice(nanos / MICRO, 1)));
  }

  private static void assertEndsAt(Cells cells, long cell, long instant) {
    assertThat(cells.isOver(cell, instant - 1)).isFalse();
    assertThat(cells.isOver(cell, instant)).isTrue();
  }

  private static void assertCountsFor(Cells cells, long nanos) {
    assertThat(cells.counts(FIRST, FIRST + nanos)).isTrue();
    assertThat(cells.counts(FIRST, FIRST + nanos + 1)).isFalse();
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
    Cells cells = utc();
    long day = MIDNIGHT / MICRO;
    assertThat(cells.at(MIDNIGHT + HOUR)).isEqualTo(day);
    assertThat(cells.at(MIDNIGHT + DAY + LATE - MICRO)).isEqualTo(day);
    assertThat(cells.at(MIDNIGHT + DAY + LATE)).isEqualTo(day + DAY / MICRO);
    assertThat(cells.at(MIDNIGHT + DAY + LATE - MICRO)).isEqualTo(day);
    assertThat(cells.at(MIDNIGHT - 2 * DAY)).isEqualTo(day - 3 * DAY / MICRO);
    assertThat(cells.at(MIDNIGHT + 5 * DAY + HOUR)).isEqualTo(day + 5 * DAY / MICRO);
  }

  @Test
  void otherDayThanTheOneThatRuns_endsWhereItDoes() {
    Cells cells = utc();
    assertThat(cells.at(MIDNIGHT + HOUR)).isEqualTo(MIDNIGHT / MICRO);
    assertEndsAt(cells, MIDNIGHT / MICRO, MIDNIGHT + DAY + LATE);
    assertEndsAt(cells, (MIDNIGHT - DAY) / MICRO, MIDNIGHT + LATE);
  }

  @Test
  void dayOfWhichAnHourIsMissing_isAsShortAsItIs() {
    ZoneId zone = ZoneId.of("Europe/Berlin");
    long starts = ZonedDateTime.of(2026, 3, 29, 0, 0, 0, 0, zone).toEpochSecond() * SECOND;
    Cells cells = of(days(zone));
    assertThat(cells.at(starts + 12 * HOUR)).isEqualTo(starts / MICRO);
    assertEndsAt(cells, starts / MICRO, starts + 23 * HOUR + LATE);
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
    Cells cells = of(SPAN);
    cells.heard(List.of());
    assertThat(cells.at(FIRST)).isEqualTo(FIRST / MICRO);
    assertThat(cells.lastOf(FIRST)).isEqualTo(FIRST / MICRO);
    assertThat(cells.oldest(FIRST)).isEqualTo((FIRST - DAY - LATE) / MICRO);
    assertThat(cells.oldest(HOUR)).isZero();
  }

  @Test
  void dayThatBegan_runsForTwentyFourHoursAndItsGuard() {
    Cells cells = begun(FIRST);
    long last = FIRST + DAY + LATE - 1;
    assertThat(cells.at(FIRST + HOUR)).isEqualTo(FIRST / MICRO);
    assertThat(cells.at(last)).isEqualTo(FIRST / MICRO);
    assertThat(cells.at(last + 1)).isEqualTo((last + 1) / MICRO);
    assertThat(cells.oldest(last)).isEqualTo(FIRST / MICRO);
    assertThat(cells.lastOf(FIRST + HOUR)).isEqualTo(FIRST / MICRO);
    assertEndsAt(cells, FIRST / MICRO, last + 1);
  }

  @Test
  void dayThatEnded_isFollowedByOneThatBeganNoSoonerThanItsEnd() {
    Cells cells = begun(FIRST);
    long ended = FIRST + DAY;
    assertThat(cells.oldest(ended + HOUR)).isEqualTo(ended / MICRO);
    long later = ended + 2 * DAY;
    assertThat(cells.oldest(later)).isEqualTo((later - DAY - LATE) / MICRO);
  }

  @Test
  void dayThatBeginsLater_isNotTheLastOfWhatWasSpentBefore() {
    assertThat(begun(FIRST).lastOf(FIRST - HOUR)).isEqualTo((FIRST - HOUR) / MICRO);
  }

  @Test
  void limitThatHadOtherCells_isNotSaidToHaveSpentAnythingBeforeADayIsKnown() {
    Cells cells = Objects.requireNonNull(Cells.changed(SPAN));
    assertThat(cells.oldest(FIRST)).isEqualTo(FIRST / MICRO);
    begin(cells, FIRST - 3 * DAY);
    assertThat(cells.oldest(FIRST)).isEqualTo((FIRST - DAY - LATE) / MICRO);
  }

  @Test
  void limitThatHadOtherCells_isStillSuchAfterAnotherCapacity() {
    Cells cells = Objects.requireNonNull(Cells.changed(SPAN));
    Cells next = Objects.requireNonNull(cells.become(new LimitSpec.Day(99, null, LATE)));
    assertThat(next.oldest(FIRST)).isEqualTo(FIRST / MICRO);
  }

  @Test
  void capacityThatChanges_leavesTheDayThatBegan() {
    Cells next = Objects.requireNonNull(begun(FIRST).become(new LimitSpec.Day(99, null, LATE)));
    assertThat(next.at(FIRST + HOUR)).isEqualTo(FIRST / MICRO);
  }

  @Test
  void grantedBeforeItWasKnownThatTheDayBeganEarlier_endsWithThatDay() {
    Cells cells = begun(FIRST);
    long first = FIRST / MICRO;
    long ends = FIRST + DAY + LATE;
    assertEndsAt(cells, first + 1, ends);
    assertEndsAt(cells, first + DAY / MICRO - 1, ends);
    assertEndsAt(cells, first + DAY / MICRO, ends + DAY);
    assertEndsAt(cells, first - 1, ends - MICRO);
  }

  @Test
  void grantedWhereNoDayIsKnown_isADayOfItsOwn() {
    assertEndsAt(of(SPAN), 5, 5 * MICRO + DAY + LATE);
  }

  @Test
  void daysOfTheCalendar_doNotBeginWithWhatIsGranted() {
    Cells cells = utc();
    begin(cells, FIRST);
    assertThat(cells.at(FIRST + HOUR)).isEqualTo(MIDNIGHT / MICRO);
  }
}
