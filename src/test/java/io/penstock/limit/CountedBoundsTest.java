package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static io.penstock.limit.CountedTrailingTest.cell;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;

/** Tests of the instant at which the counts of others, and of this instance, make room again. */
class CountedBoundsTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long START = LimitContract.START;
  private static final long WINDOW = 60 * SECOND;
  private static final long GUARD = 50_000_000;
  private static final long DAY = LimitSpec.Day.NANOS;

  /** The end of the sub-cell that contains the start. */
  private static final long EDGE = 1_001 * SECOND;

  private final ShareDemand shareDemand = new ShareDemand(() -> {});

  private static LimitSpec trailing(long guardNanos) {
    return new LimitSpec.TrailingWindow(100, WINDOW, guardNanos, LimitSpec.TrailingWindow.UNPACED);
  }

  /** Returns counts of others that were heard just now. */
  private static PeerCounts heard(long window, long amount, long now) {
    return PeerCounts.none(window, SHIFT)
        .withReport(cell(window, now), amount, now - 1, SHIFT, now);
  }

  private Limit counted(LimitSpec spec, long window, long amount) {
    Limit limit = new Limit(spec, START);
    limit.sharing().applyPeerCounts(heard(window, amount, START), shareDemand, START);
    return limit;
  }

  @Test
  void whatOthersCounted_countsForTheGuardToo() {
    Limit limit = counted(trailing(GUARD), WINDOW, 40);
    assertThat(limit.admittedAt(60, START)).isEqualTo(START);
    assertThat(limit.admittedAt(61, START)).isEqualTo(EDGE + WINDOW + GUARD);
    assertThat(limit.room(EDGE + WINDOW + GUARD - 1)).isEqualTo(60);
    assertThat(limit.room(EDGE + WINDOW + GUARD)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void whatWasCountedHereLeavesFirst_opensThenAndNotWhenThatOfOthersDoes() {
    Limit limit = new Limit(trailing(0), START);
    limit.take(Weight.exactly(10), START);
    long now = START + 10 * SECOND;
    limit.sharing().applyPeerCounts(heard(WINDOW, 90, now), shareDemand, now);
    assertThat(limit.room(now)).isZero();
    assertThat(limit.admittedAt(10, now)).isEqualTo(EDGE + WINDOW);
    assertThat(limit.admittedAt(11, now)).isEqualTo(EDGE + 10 * SECOND + WINDOW);
  }

  @Test
  void moreThanIsNotHeld_neverOpensWhateverOthersLeave() {
    Limit limit = counted(trailing(GUARD), WINDOW, 40);
    limit.take(new Weight(0, 30, 0), START);
    assertThat(limit.roomFreeAt(70, START)).isEqualTo(EDGE + WINDOW + GUARD);
    assertThat(limit.roomFreeAt(71, START)).isEqualTo(Ticker.NEVER);
    assertThat(limit.roomFreeAt(0, START)).isEqualTo(START);
  }

  @Test
  void newsOfOthers_takesThePlaceOfWhatWasKnown_andCountsNoMoreWhenTheyDoNot() {
    Limit limit = counted(trailing(GUARD), WINDOW, 40);
    limit.take(Weight.exactly(5), START);
    limit.sharing().applyPeerCounts(heard(WINDOW, 70, START), shareDemand, START);
    assertThat(limit.room(START)).isEqualTo(25);
    limit.sharing().dropPeerCounts();
    assertThat(limit.room(START)).isEqualTo(95);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(5, 0, 0));
  }

  @Test
  void heldToAShare_othersAreNotCountedOnTop() {
    Limit limit = new Limit(trailing(GUARD), START);
    limit.sharing().holdShares(at -> true, shareDemand, START);
    limit.sharing().applyPeerCounts(heard(WINDOW, 40, START), new ShareDemand(() -> {}), START);
    assertThat(limit.sharing().demand()).isSameAs(shareDemand);
    assertThat(limit.utilization(START)).isZero();
  }

  @Test
  void cutOffAndRejoined_whatOthersCountedBindsAgain() {
    Limit limit = counted(trailing(GUARD), WINDOW, 40);
    limit
        .sharing()
        .cutOff(new OutageCap.Shut(Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "It is away.")), 0);
    assertThat(limit.room(START)).isZero();
    assertThat(limit.sharing().refusal()).isNotNull();
    limit.sharing().rejoin();
    assertThat(limit.room(START)).isEqualTo(60);
    assertThat(limit.sharing().refusal()).isNull();
  }

  @Test
  void passedWhileOpen_isCountedInItsWindowAndOwedByNone() {
    LimitSpec fixed = new LimitSpec.FixedWindow(100, WINDOW);
    for (LimitSpec spec : new LimitSpec[] {fixed, trailing(0)}) {
      Limit limit = counted(spec, WINDOW, 40);
      limit.sharing().cutOff(new OutageCap.Open(), 0);
      limit.take(Weight.exactly(90), START);
      limit.charge(160, 0, START);
      limit.sharing().rejoin();
      assertThat(limit.balance(START)).isEqualTo(new LimitBalance(250, 0, 0));
      assertThat(limit.room(START)).isZero();
      assertThat(limit.room(START + 2 * WINDOW)).isEqualTo(Long.MAX_VALUE);
    }
  }

  @Test
  void dayOfOthers_endsAtTheVeryMidnight() {
    ZoneMidnights zoneMidnights =
        new ZoneMidnights(ZoneOffset.UTC, () -> (START + SHIFT) / 1_000_000);
    Limit limit = counted(new LimitSpec.Day(100, zoneMidnights, 0), DAY, 100);
    assertThat(limit.admittedAt(1, START)).isEqualTo(zoneMidnights.after(START, START));
  }

  @Test
  void dayThatBeginsWithItsFirstUse_countsOthersForADay() {
    Limit limit = counted(new LimitSpec.Day(100, null, 0), DAY, 100);
    long subCell = DAY / 60;
    long end = Math.ceilDiv(START, subCell) * subCell;
    assertThat(limit.admittedAt(1, START)).isEqualTo(end + DAY);
  }

  /** Going back 31 days from the first of March leads to January, because February is short. */
  @Test
  void monthThatBegan_countsNothingOfTheLastOne() {
    long first = ZonedDateTime.parse("2027-03-01T00:00:00Z").toInstant().toEpochMilli();
    long begin = first * 1_000_000 - SHIFT;
    long february = begin - 10 * DAY;
    for (long now : new long[] {begin, begin + DAY}) {
      long[] wall = {february};
      ZoneMidnights each =
          new ZoneMidnights(
              ZoneOffset.UTC,
              () -> Math.floorDiv(wall[0] + SHIFT, 1_000_000),
              ZoneMidnights.Each.MONTH);
      Limit limit = new Limit(new LimitSpec.Day(100, each, 0), february);
      limit
          .sharing()
          .applyPeerCounts(heard(each.apartNanos(), 100, february), shareDemand, february);
      assertThat(limit.room(february)).isZero();
      wall[0] = begin - 1_000_000;
      assertThat(limit.room(wall[0])).isZero();
      wall[0] = now;
      assertThat(limit.room(now)).isEqualTo(Long.MAX_VALUE);
    }
  }
}
