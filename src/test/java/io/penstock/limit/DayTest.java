package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class DayTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long HOUR = 3_600 * SECOND;
  private static final long DAY = 24 * HOUR;
  private static final long START = LimitContract.START;
  private static final Weight ONE = Weight.exactly(1);
  private static final ZoneId PACIFIC_TIME = ZoneId.of("America/Los_Angeles");

  /** The wall clock of each test, in step with the monotonic one unless it is set. */
  private long wallMillis;

  private static LimitSpec firstUse(long capacity) {
    return new LimitSpec.Day(capacity, null, 0);
  }

  private ZoneMidnights midnight(ZoneId zone, String start) {
    wallMillis = ZonedDateTime.parse(start).toInstant().toEpochMilli();
    return new ZoneMidnights(zone, () -> wallMillis);
  }

  private void pass(long nanos) {
    wallMillis += nanos / 1_000_000;
  }

  private static boolean goes(Limit limit, long now) {
    return limit.take(ONE, now) instanceof LimitAnswer.Receipt;
  }

  private static long until(Limit limit, long now) {
    return ((LimitAnswer.Wait) limit.take(ONE, now)).untilNanos();
  }

  @Test
  void emptiedDay_admitsAllAgain_endsAtItsMidnight_andTakesNothingBackFromBefore() {
    ZoneMidnights noon = midnight(ZoneOffset.UTC, "2026-03-01T12:00:00Z");
    Limit limit = new Limit(new LimitSpec.Day(3, noon, 0), START);
    LimitAnswer.Receipt before = (LimitAnswer.Receipt) limit.take(Weight.exactly(2), START);
    limit.emptyDay();
    assertThat(limit.balance(START).charged()).isZero();
    limit.take(Weight.exactly(3), START);
    limit.giveBack(before, 2, 0, START);
    assertThat(limit.balance(START).charged()).isEqualTo(3);
    assertThat(until(limit, START)).isEqualTo(START + 12 * HOUR - 1);
    limit.emptyDay();
    assertThat(goes(limit, START)).isTrue();
    assertThat(limit.dayEndsAt(START)).isEqualTo(START + 12 * HOUR - 2);
  }

  @Test
  void emptiedDay_keepsWhatRunningAnswersReserve() {
    Limit limit = new Limit(firstUse(10), START);
    limit.take(Weight.exactly(2).reserving(4), START);
    limit.emptyDay();
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(0, 0, 4));
    assertThat(limit.room(START)).isEqualTo(6);
  }

  abstract static class Contract extends LimitContract {
    @Override
    long largest() {
      return 1;
    }

    @Override
    long forgets() {
      return 2 * DAY;
    }
  }

  @Nested
  class FirstUse extends Contract {
    @Override
    Limit limit() {
      return new Limit(firstUse(7), START);
    }

    @Override
    LimitSpec larger() {
      return firstUse(70);
    }
  }

  @Nested
  class Calendar extends Contract {
    private final ZoneMidnights noon = midnight(ZoneOffset.UTC, "2026-03-01T12:00:00Z");

    @Override
    Limit limit() {
      return new Limit(new LimitSpec.Day(7, noon, 50_000_000), START);
    }

    @Override
    LimitSpec larger() {
      return new LimitSpec.Day(70, noon, 50_000_000);
    }
  }

  @Test
  void firstUse_dayIsThatOfItsFirstRequest() {
    Limit limit = new Limit(firstUse(2), START);
    long first = START + 5 * HOUR;
    assertThat(goes(limit, first)).isTrue();
    assertThat(goes(limit, first + 23 * HOUR)).isTrue();
    assertThat(until(limit, first + 23 * HOUR)).isEqualTo(first + DAY);
    assertThat(goes(limit, first + DAY - 1)).isFalse();
    long second = first + DAY + HOUR;
    assertThat(goes(limit, second)).isTrue();
    assertThat(goes(limit, second)).isTrue();
    assertThat(until(limit, second)).isEqualTo(second + DAY);
  }

  @Test
  void firstRequestNeverSent_nextOneBeginsTheDay() {
    Limit limit = new Limit(firstUse(1), START);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(ONE, START);
    limit.giveBack(receipt, 1, 0, START + HOUR);
    assertThat(goes(limit, START + 2 * HOUR)).isTrue();
    assertThat(until(limit, START + 2 * HOUR)).isEqualTo(START + 2 * HOUR + DAY);
  }

  @Test
  void givenBackAfterItsDay_givesTheNextOneNothing() {
    Limit limit = new Limit(firstUse(2), START);
    LimitAnswer.Receipt yesterday = (LimitAnswer.Receipt) limit.take(ONE, START);
    assertThat(goes(limit, START + DAY)).isTrue();
    limit.giveBack(yesterday, 1, 0, START + DAY);
    assertThat(limit.balance(START + DAY).charged()).isEqualTo(1);
  }

  @Test
  void guard_keepsADayForSoMuchLonger() {
    Limit limit = new Limit(new LimitSpec.Day(1, null, 50_000_000), START);
    goes(limit, START);
    assertThat(until(limit, START)).isEqualTo(START + DAY + 50_000_000);
  }

  @Test
  void pacificDays_endAtMidnightWhetherTheyAreShortOrLong() {
    String[] starts = {
      "2026-03-08T08:00:00Z", "2026-11-01T07:00:00Z", "2026-06-01T07:00:00Z",
    };
    long[] hours = {23, 25, 24};
    for (int each = 0; each < starts.length; each++) {
      Limit limit = new Limit(new LimitSpec.Day(1, midnight(PACIFIC_TIME, starts[each]), 0), START);
      assertThat(goes(limit, START)).isTrue();
      long end = START + hours[each] * HOUR;
      assertThat(until(limit, START)).as(starts[each]).isEqualTo(end);
      pass(end - START);
      assertThat(goes(limit, end)).isTrue();
      assertThat(until(limit, end)).isGreaterThanOrEqualTo(end + 23 * HOUR);
    }
  }

  @Test
  void clockSetBackAtMidnight_sameMidnightEndsNoSecondDay() {
    Limit limit =
        new Limit(new LimitSpec.Day(1, midnight(ZoneOffset.UTC, "2026-03-01T22:00:00Z"), 0), START);
    goes(limit, START);
    long end = START + 2 * HOUR;
    wallMillis = ZonedDateTime.parse("2026-03-01T23:59:58Z").toInstant().toEpochMilli();
    assertThat(goes(limit, end)).isTrue();
    assertThat(until(limit, end)).isEqualTo(end + 2 * SECOND + DAY);
  }

  @Test
  void reloaded_dayAndItsCountStay() {
    Limit limit = new Limit(firstUse(3), START);
    goes(limit, START);
    goes(limit, START);
    limit.resize(new LimitSpec.Day(2, midnight(ZoneOffset.UTC, "2026-03-01T12:00:00Z"), 0), START);
    assertThat(until(limit, START + HOUR)).isEqualTo(START + DAY);
    limit.resize(firstUse(1), START);
    assertThat(limit.room(START)).isZero();
    assertThat(limit.balance(START).charged()).isEqualTo(2);
    limit.resize(firstUse(3), START);
    assertThat(goes(limit, START)).isTrue();
    assertThat(goes(limit, START)).isFalse();
  }

  @Test
  void otherLimitBecomesADay_whatIsOwedCountsInIt() {
    Limit limit = new Limit(new LimitSpec.SlidingWindow(5, SECOND), START);
    goes(limit, START);
    goes(limit, START);
    limit.resize(firstUse(3), START);
    assertThat(limit.room(START)).isEqualTo(1);
    assertThat(limit.room(START + DAY)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void randomUse_isWhatACountADaySays() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      long capacity = 1 + random.nextLong(20);
      Limit limit = new Limit(firstUse(capacity), START);
      long now = START;
      long began = START - DAY;
      long count = 0;
      for (int step = 0; step < 1_000; step++) {
        now += random.nextLong(random.nextInt(20) == 0 ? 30 * HOUR : HOUR);
        if (now - began >= DAY) {
          began = now;
          count = 0;
        }
        String where = "seed " + seed + " step " + step;
        boolean goes = goes(limit, now);
        assertThat(goes).as(where).isEqualTo(count < capacity);
        count += goes ? 1 : 0;
        assertThat(limit.admittedAt(1, now))
            .as(where)
            .isEqualTo(count < capacity ? now : began + DAY);
      }
    }
  }
}
