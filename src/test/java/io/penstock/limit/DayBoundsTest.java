package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of a day at its ends: midnights close to others, guards, and reserved output. */
class DayBoundsTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long HOUR = 3_600 * SECOND;
  private static final long DAY = LimitSpec.Day.NANOS;
  private static final long START = LimitContract.START;
  private static final long GUARD = 50_000_000;
  private static final LimitSpec.Day THREE = new LimitSpec.Day(3, null, 0);

  private long wallMillis;

  private void wall(String instant) {
    wallMillis = ZonedDateTime.parse(instant).toInstant().toEpochMilli();
  }

  private LimitSpec.Day calendar(long capacity, long guardNanos) {
    return new LimitSpec.Day(
        capacity, new ZoneMidnights(ZoneOffset.UTC, () -> wallMillis), guardNanos);
  }

  /** Returns a limit with one charged and one reserved until a day after the start. */
  private static Limit oneAndOneHeld() {
    Limit limit = new Limit(THREE, START);
    limit.take(new Weight(1, 1, 1), START);
    return limit;
  }

  @Test
  void begunLateInTheEvening_endsAtTheMidnightThatComes() {
    wall("2026-03-01T23:30:00Z");
    Limit limit = new Limit(calendar(1, GUARD), START);
    assertThat(limit.take(Weight.exactly(1), START)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.admittedAt(1, START)).isEqualTo(START + HOUR / 2 + GUARD);
  }

  @Test
  void clockSetBackAtMidnight_guardOfTheNextDayIsKeptToo() {
    wall("2026-03-01T22:00:00Z");
    Limit limit = new Limit(calendar(1, GUARD), START);
    limit.take(Weight.exactly(1), START);
    long end = START + 2 * HOUR + GUARD;
    wall("2026-03-01T23:59:58Z");
    assertThat(limit.take(Weight.exactly(1), end)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.admittedAt(1, end)).isEqualTo(end + 2 * SECOND + DAY + GUARD);
  }

  @Test
  void midnightAnHourAfterTheLast_isAnother() {
    wall("2026-03-01T23:00:00Z");
    LocalState begun = new DayState(calendar(1, 0), START, 1, 0).take(1, 0, START).next();
    assertThat(begun.roomFreeAt(1, START)).isEqualTo(START + HOUR);
    wall("2026-03-01T23:00:00.001Z");
    begun = new DayState(calendar(1, 0), START, 1, 0).take(1, 0, START).next();
    assertThat(begun.roomFreeAt(1, START)).isEqualTo(START + HOUR - 1_000_000 + DAY);
  }

  @Test
  void held_isKeptFreeUntilItIsGivenBack() {
    Limit limit = oneAndOneHeld();
    assertThat(limit.room(START)).isEqualTo(1);
    assertThat(limit.roomFreeAt(1, START)).isEqualTo(START);
    assertThat(limit.roomFreeAt(2, START)).isEqualTo(START + DAY);
    assertThat(limit.roomFreeAt(3, START)).isEqualTo(Ticker.NEVER);
    LimitAnswer.Receipt second = (LimitAnswer.Receipt) limit.take(new Weight(0, 1, 0), START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(1, 0, 2));
    limit.giveBack(second, 0, 1, START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(1, 0, 1));
    assertThat(limit.room(START + DAY)).isEqualTo(2);
  }

  @Test
  void restoredWithAnEndFarAhead_endsADayAfterItWasSaved() {
    List<ChargedCell> cells = List.of(new ChargedCell(START + 100 * HOUR, 3));
    Limit restored = Limit.restored(THREE, cells, START, START + 2 * HOUR);
    assertThat(restored.admittedAt(1, START + 2 * HOUR)).isEqualTo(START + DAY);
  }

  /**
   * For a wall clock that is a second late, a midnight is still to come, which ends the next day.
   */
  @Test
  void restoredWhenItsDayEnds_isAsIfNothingHadBeenCharged() {
    wall("2026-03-01T23:59:59Z");
    LimitSpec.Day spec = calendar(1, 0);
    Limit restored = Limit.restored(spec, List.of(new ChargedCell(START, 1)), START, START);
    assertThat(restored.take(Weight.exactly(1), START)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(restored.admittedAt(1, START)).isEqualTo(START + SECOND);
  }

  @Test
  void otherEndWithinAnHour_isTheSameDayAndOneLaterIsTheNext() {
    DayState day = new DayState(THREE, START, 2, 1);
    assertThat(day.until(START - 5 * HOUR)).isEqualTo(new DayState(THREE, START - 5 * HOUR, 2, 1));
    assertThat(day.until(START + HOUR)).isEqualTo(new DayState(THREE, START + HOUR, 2, 1));
    assertThat(day.until(START + HOUR + 1)).isEqualTo(new DayState(THREE, START + HOUR + 1, 0, 1));
  }

  @Test
  void begunAnew_endsADayFromNowWhenAnythingCounts() {
    DayState day = new DayState(THREE, START + HOUR, 2, 1);
    assertThat(day.begunAnew(START)).isEqualTo(new DayState(THREE, START + DAY, 2, 1));
    assertThat(day.begunAnew(START + HOUR)).isSameAs(day);
    DayState none = new DayState(THREE, START + HOUR, 0, 1);
    assertThat(none.begunAnew(START)).isSameAs(none);
  }
}
