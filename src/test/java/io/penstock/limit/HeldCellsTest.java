package io.penstock.limit;

import static io.penstock.limit.HeldLimit.BEGIN;
import static io.penstock.limit.HeldLimit.DAY;
import static io.penstock.limit.HeldLimit.GRID;
import static io.penstock.limit.HeldLimit.MIDNIGHT;
import static io.penstock.limit.HeldLimit.MINUTE;
import static io.penstock.limit.HeldLimit.SECOND;
import static io.penstock.limit.HeldLimit.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights.Each;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shares of fixed windows and days, which end for all instances at once. */
class HeldCellsTest {
  private static final long MILLI = 1_000_000;
  private static final long CAPACITY = 100;

  /** A share of windows of a minute, of which one ends 57 s after the start. */
  @Nested
  class FixedWindows {
    private static final long ENDS = START + 57 * SECOND;

    private final HeldLimit held =
        new HeldLimit(new LimitSpec.FixedWindow(CAPACITY, MINUTE)).hold(30, START);

    /** Holds the share as if the wall clock had been read a little sooner or later. */
    private void hold(long share, long jitterNanos, long now) {
      held.change(share, share, GRID + jitterNanos, true, now);
    }

    @ParameterizedTest
    @ValueSource(longs = {-MILLI, -1, 1, MILLI})
    void gridMovesByAMoment_refundsComeBack(long jitter) {
      LimitAnswer.Receipt receipt = held.taken(30, START);
      hold(30, jitter, START + SECOND);
      assertThat(held.limit.room(START + SECOND)).isZero();
      held.giveBack(receipt, START + 2 * SECOND);
      assertThat(held.limit.room(START + 2 * SECOND)).isEqualTo(30);
    }

    @ParameterizedTest
    @ValueSource(longs = {-MILLI, -1, 1, MILLI})
    void gridMovesByAMomentAtTheEndOfAWindow_eachWindowIsSpentOnce(long jitter) {
      held.taken(30, ENDS - 1);
      hold(30, jitter, ENDS - 1);
      assertThat(held.takeAll(ENDS - MILLI - 1)).isZero();
      assertThat(held.takeAll(ENDS + MILLI)).isEqualTo(30);
      hold(30, -jitter, ENDS + MILLI);
      assertThat(held.takeAll(ENDS + MILLI)).isZero();
      assertThat(held.takeAll(ENDS + MINUTE - MILLI - 1)).isZero();
      assertThat(held.takeAll(ENDS + MINUTE + MILLI)).isEqualTo(30);
    }

    @Test
    void windowEnded_itsRefundDoesNotComeBack_andItIsStatedAsEarlier() {
      LimitAnswer.Receipt receipt = held.taken(20, START);
      assertThat(held.standing(START).earlier()).isZero();
      assertThat(held.standing(ENDS).earlier()).isEqualTo(20);
      assertThat(held.standing(ENDS).least()).isZero();
      held.taken(5, ENDS);
      held.giveBack(receipt, ENDS + 1);
      ShareStanding standing = held.standing(ENDS + 1);
      assertThat(standing.least()).isEqualTo(5);
      assertThat(standing.earlier()).isEqualTo(20);
      assertThat(standing.spent()).isEqualTo(25);
      assertThat(held.standing(ENDS + MINUTE).earlier()).isEqualTo(5);
      assertThat(held.standing(ENDS + 2 * MINUTE).earlier()).isZero();
    }

    @Test
    void usageAboveTheLimit_isPaidByLaterWindows() {
      held.limit.charge(250, 0, START);
      assertThat(held.standing(START).least()).isEqualTo(100);
      assertThat(held.waits(30, START)).isEqualTo(ENDS + 2 * MINUTE);
      assertThat(held.standing(ENDS).least()).isEqualTo(100);
      assertThat(held.standing(ENDS + MINUTE).least()).isEqualTo(50);
      assertThat(held.waits(1, ENDS + MINUTE)).isEqualTo(ENDS + 2 * MINUTE);
      assertThat(held.takeAll(ENDS + 2 * MINUTE)).isEqualTo(30);
    }

    @ParameterizedTest
    @ValueSource(longs = {10 * SECOND, 45 * SECOND, 600 * SECOND})
    void otherLength_neverAdmitsMoreThanTheShareInAWindow(long window) {
      held.taken(10, START);
      held.limit.resize(new LimitSpec.FixedWindow(CAPACITY, window), START + 30 * SECOND);
      long most = 0;
      for (long now = START + 30 * SECOND; now < START + 30 * SECOND + window; now += SECOND) {
        most += held.takeAll(now);
      }
      assertThat(most).isBetween(20L, 60L);
    }
  }

  private static HeldLimit day(LimitSpec.Day spec, HeldLimit.Clock clock) {
    return new HeldLimit(spec, clock).hold(30, 3, BEGIN);
  }

  private static HeldLimit day(Each each) {
    HeldLimit.Clock clock = new HeldLimit.Clock();
    return day(new LimitSpec.Day(CAPACITY, clock.midnights(each), 0), clock);
  }

  @ParameterizedTest
  @EnumSource
  void midnight_smallerShareOfTheLaterDayIsSpent(Each each) {
    HeldLimit held = day(each);
    assertThat(held.takeAll(MIDNIGHT - MILLI)).isEqualTo(30);
    assertThat(held.limit.ownCapacity(MIDNIGHT)).isEqualTo(3);
    assertThat(held.standing(MIDNIGHT).share()).isEqualTo(3);
    assertThat(held.standing(MIDNIGHT).earlier()).isEqualTo(30);
    assertThat(held.takeAll(MIDNIGHT)).isEqualTo(3);
    assertThat(held.standing(MIDNIGHT).earlier()).isEqualTo(30);
    held.hold(50, 3, MIDNIGHT + SECOND);
    assertThat(held.takeAll(MIDNIGHT + SECOND)).isEqualTo(47);
  }

  @ParameterizedTest
  @EnumSource
  void shrunkInTheLaterDay_hasNoMoreThanItsShareOfIt(Each each) {
    HeldLimit held = day(each);
    held.taken(20, START);
    assertThat(held.shrink(100, MIDNIGHT + 1).share()).isEqualTo(3);
    assertThat(held.takeAll(MIDNIGHT + 2)).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void shrunkBefore_laterShareIsLoweredToo(Each each) {
    HeldLimit held = day(each);
    held.shrink(1, START);
    held.hold(1, 1, START);
    assertThat(held.takeAll(MIDNIGHT)).isEqualTo(1);
  }

  /** The end of the day was read from the wall clock once by the limit and again by the share. */
  @ParameterizedTest
  @ValueSource(longs = {-MILLI, -1, 0, 1, MILLI})
  void midnightIsReadTwice_noMomentAdmitsTheOldShareInTheNewDay(long jitter) {
    HeldLimit held = day(Each.DAY);
    held.taken(30, START);
    long ends = MIDNIGHT + jitter;
    holdUntil(held, ends, MIDNIGHT - 10 * SECOND);
    long went = 0;
    for (long now = MIDNIGHT - MILLI; now <= MIDNIGHT + MILLI; now += MILLI / 4) {
      went += held.takeAll(now);
    }
    assertThat(went).isEqualTo(3);
  }

  private static void holdUntil(HeldLimit held, long ends, long now) {
    held.limit.sharing().changeShare(new ShareChange(30, 3, ends, Ticker.NEVER, true), now);
  }

  @ParameterizedTest
  @ValueSource(longs = {-SECOND, -1, 1, SECOND})
  void endOfTheDayIsReadAgain_refundsComeBack(long jitter) {
    HeldLimit held = day(Each.DAY);
    LimitAnswer.Receipt receipt = held.taken(20, START);
    holdUntil(held, MIDNIGHT + jitter, START + SECOND);
    held.giveBack(receipt, START + SECOND);
    assertThat(held.limit.room(START + SECOND)).isEqualTo(30);
  }

  @Test
  void heldInALaterDayByTheWallClock_dayEndsAtOnce() {
    HeldLimit held = day(Each.DAY);
    held.taken(20, START);
    holdUntil(held, MIDNIGHT + SECOND, START);
    long now = MIDNIGHT + MILLI;
    assertThat(held.standing(now).least()).isEqualTo(20);
    holdUntil(held, MIDNIGHT + DAY, now);
    assertThat(held.standing(now).least()).isZero();
    assertThat(held.standing(now).earlier()).isEqualTo(20);
    assertThat(held.takeAll(now)).isEqualTo(30);
    assertThat(held.takeAll(MIDNIGHT + SECOND)).isZero();
    assertThat(held.waits(1, MIDNIGHT + SECOND)).isEqualTo(MIDNIGHT + DAY);
  }

  @Test
  void heldInTheOldDayAgain_newOneKeepsItsSmallerShare() {
    HeldLimit held = day(Each.DAY);
    held.taken(30, START);
    held.taken(2, MIDNIGHT);
    holdUntil(held, MIDNIGHT + SECOND, MIDNIGHT);
    assertThat(held.standing(MIDNIGHT).share()).isEqualTo(3);
    assertThat(held.takeAll(MIDNIGHT)).isEqualTo(1);
    assertThat(held.takeAll(MIDNIGHT + SECOND)).isZero();
  }

  @Test
  void firstUseDay_endsForItsShareWithItsOwnEnd() {
    HeldLimit held = day(new LimitSpec.Day(CAPACITY, null, 0), new HeldLimit.Clock());
    assertThat(held.takeAll(START)).isEqualTo(30);
    assertThat(held.waits(1, START)).isEqualTo(START + DAY);
    assertThat(held.standing(START + DAY).earlier()).isEqualTo(30);
    assertThat(held.takeAll(START + DAY)).as("in a later day").isEqualTo(3);
    assertThat(held.standing(START + DAY).earlier()).isEqualTo(30);
    assertThat(held.standing(START + 3 * DAY).earlier()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void refundOfADayThatEnded_doesNotComeBack(Each each) {
    HeldLimit held = day(each);
    LimitAnswer.Receipt receipt = held.taken(20, START);
    held.taken(2, MIDNIGHT);
    held.giveBack(receipt, MIDNIGHT);
    assertThat(held.standing(MIDNIGHT).least()).isEqualTo(2);
  }

  @Test
  void daysEndAtOtherTimes_whatWasChargedStays_andNothingIsSpentInALaterDayBeforeItIsHeldAnew() {
    for (Each each : Each.values()) {
      HeldLimit.Clock clock = new HeldLimit.Clock();
      LimitSpec.Day calendar = new LimitSpec.Day(CAPACITY, clock.midnights(each), 0);
      HeldLimit held = day(new LimitSpec.Day(CAPACITY, null, 0), clock);
      held.taken(20, START);
      held.limit.resize(calendar, START);
      assertThat(held.takeAll(START)).isEqualTo(10);
      assertThat(held.waits(1, MIDNIGHT)).isEqualTo(Ticker.NEVER);
      held.hold(30, 3, MIDNIGHT);
      held.taken(20, MIDNIGHT);
      Each other = each == Each.DAY ? Each.MONTH : Each.DAY;
      held.limit.resize(new LimitSpec.Day(CAPACITY, clock.midnights(other), 0), MIDNIGHT);
      assertThat(held.takeAll(MIDNIGHT + 1)).isEqualTo(10);
      held.limit.resize(new LimitSpec.Day(CAPACITY, null, 0), MIDNIGHT + 1);
      assertThat(held.takeAll(MIDNIGHT + 1)).isZero();
      assertThat(held.takeAll(MIDNIGHT + DAY - SECOND)).isZero();
    }
  }

  @Test
  void becomesADay_itsShareEndsWithTheDayOnceItIsHeldAgain() {
    HeldLimit.Clock clock = new HeldLimit.Clock();
    HeldLimit held = new HeldLimit(new LimitSpec.Concurrency(CAPACITY), clock).hold(30, START);
    held.limit.resize(new LimitSpec.Day(CAPACITY, clock.midnights(Each.DAY), 0), START);
    held.hold(30, 3, START);
    assertThat(held.takeAll(START)).isEqualTo(30);
    assertThat(held.waits(1, START)).isEqualTo(MIDNIGHT);
    assertThat(held.takeAll(MIDNIGHT)).isEqualTo(3);
    held.limit.resize(new LimitSpec.Concurrency(CAPACITY), MIDNIGHT);
    held.hold(30, Ticker.NEVER, MIDNIGHT);
    assertThat(held.takeAll(MIDNIGHT)).isEqualTo(30);
  }
}
