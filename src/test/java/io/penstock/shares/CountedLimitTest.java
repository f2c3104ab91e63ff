package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.OutageCap;
import io.penstock.limit.RegionCounts;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.UnixShift;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CountedLimitTest {
  private static final long DAY = LimitSpec.Day.NANOS;
  private static final long NOON = 20_000 * DAY + DAY / 2;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "a", "", LimitMeasure.REQUESTS, LimitSpec.Day.NANOS);

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long MINUTE = 60 * SECOND;
  private static final long LEASE = 12 * SECOND;
  private static final LimitId TRAILING =
      new LimitId(LimitId.Kind.KEY, "t", "", ID.measure(), MINUTE);

  /**
   * Difference between the Unix clock and the local clock: the minute changes at its 30th second.
   */
  private static final long SHIFT = 10 * MINUTE + MINUTE / 2;

  private static final UnixShift UNIX_SHIFT = new UnixShift(() -> SHIFT / MILLI, 0);

  private final Limit limit =
      new Limit(new LimitSpec.TrailingWindow(100, MINUTE, 0, LimitSpec.TrailingWindow.UNPACED), 0);
  private final CountedLimit counted = new CountedLimit(TRAILING, limit, true, false, SHIFT);

  private static List<Count> told(CountedLimit counted, long now) {
    List<Count> own = new ArrayList<>();
    counted.collect(new UnixShift(() -> 0, 0), now, own);
    return own;
  }

  @Test
  void dayThatBeganAtNoon_isToldToRegionsByTheirDays() {
    LimitSpec day = new LimitSpec.Day(100, null, 0);
    Limit limit = new Limit(day, NOON);
    RegionCounts regionCounts = RegionCounts.of(day, DAY, 0, List.of(), (denied, capacity) -> {});
    limit.sharing().bindRegions(regionCounts, NOON);
    CountedLimit counted = new CountedLimit(ID, limit, false, false, 0);
    limit.take(Weight.exactly(3), NOON);
    assertThat(told(counted, NOON)).containsExactly(new Count(ID, 20_000, 3));
    long later = NOON + DAY * 3 / 4;
    limit.take(Weight.exactly(2), later);
    assertThat(told(counted, later))
        .containsExactlyInAnyOrder(new Count(ID, 20_000, 3), new Count(ID, 20_001, 2));
  }

  private static List<Count> tell(CountedLimit counted, long now) {
    List<Count> own = new ArrayList<>();
    counted.collect(UNIX_SHIFT, now, own);
    return own;
  }

  private static Count count(long cell, long amount) {
    return new Count(TRAILING, cell, amount);
  }

  @Test
  void counted_isToldByTheMinuteOfTheUnixClockUntilItIsAnswered() {
    limit.take(Weight.exactly(3), 0);
    assertThat(tell(counted, 0)).containsExactly(count(10, 3));
    assertThat(tell(counted, 1)).containsExactly(count(10, 3));
    counted.acknowledge(10, 3);
    assertThat(tell(counted, 2)).isEmpty();
    counted.tellAgain();
    assertThat(tell(counted, 2)).containsExactly(count(10, 3));
    limit.take(Weight.exactly(2), 3);
    limit.take(Weight.exactly(4), 40 * SECOND);
    assertThat(tell(counted, 40 * SECOND)).containsExactlyInAnyOrder(count(10, 5), count(11, 4));
    counted.acknowledge(10, 5);
    counted.acknowledge(11, 4);
    assertThat(tell(counted, 41 * SECOND)).isEmpty();
  }

  @Test
  void countedRightBeforeAMinuteEnds_isOfThatMinute() {
    limit.take(Weight.exactly(3), 29_500 * MILLI);
    assertThat(tell(counted, 29_500 * MILLI)).containsExactly(count(10, 3));
  }

  @Test
  void minuteBeforeTheLast_isToldNoMore() {
    limit.take(Weight.exactly(3), 0);
    tell(counted, 0);
    long ends = MINUTE + MINUTE / 2;
    assertThat(tell(counted, ends - 1)).containsExactly(count(10, 3));
    assertThat(tell(counted, ends)).isEmpty();
  }

  @Test
  void windowThatIsTheMinute_isToldAsTheOneInWhichItsMiddleIs() {
    Limit fixed = new Limit(new LimitSpec.FixedWindow(100, MINUTE), 0);
    CountedLimit minute = new CountedLimit(TRAILING, fixed, true, false, SHIFT);
    fixed.take(Weight.exactly(3), MINUTE);
    assertThat(tell(minute, MINUTE)).containsExactly(count(12, 3));
  }

  @Test
  void countedByOthers_leavesLessRoomWhereItBinds_untilItBindsNoMore() {
    counted.hear(10, 30, Long.MIN_VALUE, SHIFT, 0);
    assertThat(counted.others(0)).isEqualTo(30);
    assertThat(counted.cells()).containsExactly(Map.entry(10L, 30L));
    counted.bind(0);
    assertThat(limit.room(0)).isEqualTo(70);
    counted.unbind();
    assertThat(limit.room(0)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void countedByOthersOfALimitThatIsOnlyKnown_leavesAllRoom() {
    CountedLimit known = new CountedLimit(TRAILING, limit, false, false, SHIFT);
    known.hear(10, 30, Long.MIN_VALUE, SHIFT, 0);
    known.bind(0);
    assertThat(limit.room(0)).isEqualTo(Long.MAX_VALUE);
    assertThat(List.of(known.binds(), counted.binds())).containsExactly(false, true);
    assertThat(known.counts(limit, false)).isTrue();
    assertThat(known.counts(limit, true)).isFalse();
    assertThat(known.counts(new Limit(limit.spec(), 0), false)).isFalse();
    counted.hear(10, 30, Long.MIN_VALUE, SHIFT, 0);
    counted.bind(0);
    known.unbind();
    assertThat(limit.room(0)).as("it is another that binds").isEqualTo(70);
  }

  @Test
  void countedHere_doesWhatLimitsDoWhileNothingIsHeard_andWhoWaitsIsWoken() {
    OutageCap refuses = OutagePolicy.REFUSE.cap();
    counted.bind(0);
    List<Integer> woken = new ArrayList<>();
    Objects.requireNonNull(limit.sharing().demand()).join(() -> woken.add(1));
    new CountedLimit(TRAILING, limit, false, false, SHIFT).cutOff(refuses, LEASE);
    assertThat(limit.sharing().refusal()).isNull();
    counted.cutOff(refuses, LEASE);
    assertThat(limit.sharing().refusal()).isNotNull();
    counted.cutOff(null, LEASE);
    assertThat(limit.sharing().refusal()).isNull();
    assertThat(woken).hasSize(2);
  }

  @Test
  void cold_isALimitThatBindsAndOfWhichNothingWasCountedHere_untilOthersAreHeard() {
    assertThat(new CountedLimit(TRAILING, limit, false, false, SHIFT).isCold(-1, 0)).isFalse();
    assertThat(counted.isCold(-1, 0)).isTrue();
    assertThat(counted.isCold(-1, 5)).isTrue();
    assertThat(counted.isCold(0, 5)).isFalse();
    assertThat(counted.isCold(0, MINUTE)).isFalse();
    assertThat(counted.isCold(0, MINUTE + 1)).as("the first in a window").isTrue();
    limit.take(Weight.exactly(1), 2 * MINUTE);
    assertThat(counted.isCold(0, 2 * MINUTE + 2)).isFalse();
  }
}
