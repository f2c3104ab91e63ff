package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static io.penstock.limit.CountedTrailingTest.cell;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.limit.RegionCounts.CellCounts;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.ZoneMidnights;
import java.math.BigInteger;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A trailing window with counts of other regions, in this cell and in the previous one. */
class RegionTrailingTest extends LimitContract {
  private static final long WINDOW = 60 * SECOND;
  private static final long CELL = cell(WINDOW, START);
  private static final long BEGIN = CELL * WINDOW - SHIFT;

  private final List<String> denials = new ArrayList<>();

  private static LimitSpec spec(long capacity) {
    return new LimitSpec.TrailingWindow(capacity, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  private Limit limit(long capacity, long now, CellCounts... words) {
    Limit limit = new Limit(spec(capacity), now);
    say(limit, SHIFT, now, words);
    return limit;
  }

  private void say(Limit limit, long shift, long now, CellCounts... words) {
    RegionCounts regionCounts =
        RegionCounts.of(
            limit.spec(),
            WINDOW,
            shift,
            List.of(words),
            (cell, most) -> denials.add(cell + " of " + most));
    limit.sharing().bindRegions(regionCounts, now);
  }

  @Override
  Limit limit() {
    return limit(
        5_000, START, new CellCounts(CELL - 1, 0, 1_500, 0), new CellCounts(CELL, 100, 400, 700));
  }

  @Override
  long largest() {
    return 3_000;
  }

  @Override
  LimitSpec larger() {
    return spec(9_000);
  }

  @Test
  void used_isTheSlidingWindowCounterOfAllThreeWords() {
    Random random = new Random(7);
    for (int round = 0; round < 2_000; round++) {
      long prevForeign = random.nextLong(3_000);
      long prevFloor = random.nextLong(3_000);
      long beside = random.nextLong(500);
      long foreign = 1 + random.nextLong(1_000);
      long floor = random.nextLong(3_000);
      long own = random.nextLong(1_000);
      Limit limit =
          limit(
              1_000_000,
              BEGIN,
              new CellCounts(CELL - 1, 0, prevForeign, prevFloor),
              new CellCounts(CELL, beside, foreign, floor));
      limit.take(Weight.exactly(own), BEGIN);
      long elapsed = random.nextLong(WINDOW);
      BigInteger fades =
          BigInteger.valueOf(Math.max(prevForeign, prevFloor))
              .multiply(BigInteger.valueOf(WINDOW - elapsed))
              .divide(BigInteger.valueOf(WINDOW));
      long used = Math.max(own + beside + foreign, floor) + fades.longValue();
      assertThat(limit.room(BEGIN + elapsed)).isEqualTo(1_000_000 - used);
    }
  }

  @Test
  void ownCell_countsAsThePreviousOneOnceItHasEnded() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 100, 0));
    limit.take(Weight.exactly(300), BEGIN + WINDOW / 2);
    assertThat(limit.room(BEGIN + WINDOW - 1)).isEqualTo(600);
    assertThat(limit.room(BEGIN + WINDOW)).isEqualTo(600);
    // 400 × 1/4; the window itself has room for 700 until the 300 have left it
    assertThat(limit.room(BEGIN + WINDOW + 3 * WINDOW / 4)).isEqualTo(900);
    assertThat(limit.room(BEGIN + 2 * WINDOW)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void window_bindsWhereTheCellsWouldNot() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 100, 0));
    limit.take(Weight.exactly(800), BEGIN + WINDOW - SECOND);
    long later = BEGIN + WINDOW + WINDOW / 2;
    // cells: 900 × 1/2; the window has all 800 still
    assertThat(limit.room(later)).isEqualTo(200);
  }

  @Test
  void anyWords_waitNamesTheFirstInstantThatHelps() {
    for (long seed = 1; seed <= 500; seed++) {
      Random random = new Random(seed);
      Limit limit =
          limit(
              1_000,
              BEGIN,
              new CellCounts(CELL - 1, 0, random.nextLong(2_000), random.nextLong(1_500)),
              new CellCounts(CELL, 0, random.nextLong(1_500), random.nextLong(1_500)),
              new CellCounts(CELL + 1, 0, random.nextLong(1_000), 0));
      long now = BEGIN + random.nextLong(WINDOW);
      limit.take(Weight.exactly(random.nextLong(900)), now);
      Weight weight = Weight.exactly(1 + random.nextLong(1_000));
      if (limit.decide(weight, now) instanceof LimitAnswer.Wait(long until)) {
        assertThat(until).isGreaterThan(now).isLessThan(now + 4 * WINDOW);
        assertThat(limit.decide(weight, until - 1))
            .as("%d", seed)
            .isInstanceOf(LimitAnswer.Wait.class);
        assertThat(limit.decide(weight, until))
            .as("%d", seed)
            .isInstanceOf(LimitAnswer.Receipt.class);
      }
    }
  }

  @Test
  void floor_raisesItsOwnCellAlone() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 0, 1_000));
    assertThat(limit.room(BEGIN)).isZero();
    assertThat(limit.admittedAt(1, BEGIN)).isBetween(BEGIN + WINDOW, BEGIN + WINDOW + SECOND);
    assertThat(limit.room(BEGIN + WINDOW + WINDOW / 2)).isEqualTo(500);
    assertThat(limit.room(BEGIN + 2 * WINDOW)).isEqualTo(Long.MAX_VALUE);
    Limit other = limit(1_000, BEGIN, new CellCounts(CELL + 5, 0, 0, 1_000));
    assertThat(other.room(BEGIN)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void givenBack_isOfTheCellItWasTakenFrom() {
    Limit limit =
        limit(1_000, BEGIN, new CellCounts(CELL, 0, 1, 0), new CellCounts(CELL + 1, 0, 1, 0));
    LimitAnswer first = limit.take(new Weight(200, 50, 0), BEGIN + WINDOW - 1);
    limit.take(Weight.exactly(10), BEGIN + WINDOW);
    assertThat(limit.sharing().localCounts())
        .containsEntry(CELL, 200L)
        .containsEntry(CELL + 1, 10L);
    if (first instanceof LimitAnswer.Receipt receipt) {
      limit.giveBack(receipt, 150, 50, BEGIN + WINDOW);
    }
    assertThat(limit.sharing().localCounts()).containsEntry(CELL, 50L).containsEntry(CELL + 1, 10L);
    assertThat(limit.room(BEGIN + WINDOW)).isEqualTo(1_000 - 11 - 51);
  }

  @Test
  void heldOutput_isKeptFreeAndThenCounted() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 100, 0));
    limit.take(new Weight(100, 300, 0), BEGIN);
    assertThat(limit.room(BEGIN)).isEqualTo(500);
    assertThat(limit.sharing().localCounts()).containsEntry(CELL, 100L);
    limit.charge(200, 300, BEGIN);
    assertThat(limit.room(BEGIN)).isEqualTo(600);
    assertThat(limit.sharing().localCounts()).containsEntry(CELL, 300L);
  }

  @Test
  void moreThanThereIs_leavesNoRoomAndOverflowsNothing() {
    long most = Long.MAX_VALUE;
    Limit limit =
        limit(
            1_000,
            BEGIN,
            new CellCounts(CELL - 1, most, most, most),
            new CellCounts(CELL, 0, most, 0));
    assertThat(limit.room(BEGIN)).isZero();
    assertThat(limit.admittedAt(1, BEGIN)).isBetween(BEGIN + WINDOW, BEGIN + 2 * WINDOW);
    assertThat(limit.room(BEGIN + 2 * WINDOW)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void firstDenialOfACell_isToldOnce() {
    Limit limit = limit(1_000, BEGIN);
    limit.take(Weight.exactly(600), BEGIN);
    limit.sharing().recordDenial(Weight.exactly(400), BEGIN);
    assertThat(denials).isEmpty(); // it fits
    limit.sharing().recordDenial(Weight.exactly(401), BEGIN);
    limit.sharing().recordDenial(Weight.exactly(401), BEGIN + 1);
    assertThat(denials).containsExactly(CELL + " of 1000");
    limit.sharing().recordDenial(Weight.exactly(900), BEGIN + WINDOW - SECOND);
    assertThat(denials).hasSize(1);
    limit.take(Weight.exactly(200), BEGIN + WINDOW - SECOND);
    limit.sharing().recordDenial(Weight.exactly(900), BEGIN + WINDOW);
    assertThat(denials).as("of the next one nothing was used").hasSize(1);
    limit.take(Weight.exactly(500), BEGIN + WINDOW + SECOND);
    limit.sharing().recordDenial(Weight.exactly(900), BEGIN + WINDOW + SECOND);
    assertThat(denials).containsExactly(CELL + " of 1000", CELL + 1 + " of 1000");
  }

  @Test
  void receivedDenial_thatFadesIntoTheNextCell_isNoDenialOfThat() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 0, 1_000));
    limit.sharing().recordDenial(Weight.exactly(1), BEGIN + WINDOW);
    assertThat(limit.decide(Weight.exactly(1), BEGIN + WINDOW))
        .isInstanceOf(LimitAnswer.Wait.class);
    assertThat(denials).isEmpty();
  }

  @Test
  void limitThatIsCutOff_isNobodyElsesTrouble() {
    Limit limit = limit(1_000, BEGIN);
    limit.take(Weight.exactly(900), BEGIN);
    limit.sharing().holdShares(at -> true, new ShareDemand(() -> {}), BEGIN);
    limit
        .sharing()
        .cutOff(new OutageCap.Shut(Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "away")), 0);
    limit.sharing().recordDenial(Weight.exactly(200), BEGIN);
    assertThat(denials).isEmpty();
  }

  @Test
  void largeRequest_isNoDenialWhileLittleWasUsed() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 400, 0));
    limit.take(Weight.exactly(99), BEGIN);
    limit.sharing().recordDenial(Weight.exactly(1_000), BEGIN);
    limit.sharing().recordDenial(Weight.exactly(5_000), BEGIN); // this could never pass
    assertThat(denials).isEmpty();
    limit.take(Weight.exactly(1), BEGIN);
    limit.sharing().recordDenial(Weight.exactly(1_000), BEGIN);
    assertThat(denials).hasSize(1);
  }

  @Test
  void receivedDenial_isNeverToldOn() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 0, 1_000));
    limit.sharing().recordDenial(Weight.exactly(1), BEGIN);
    assertThat(denials).isEmpty();
  }

  @Test
  void clockThatIsSetBack_forgetsNothing() {
    Limit limit = limit(1_000, BEGIN, new CellCounts(CELL, 0, 1, 0));
    limit.take(Weight.exactly(500), BEGIN);
    long back = SHIFT - 10 * WINDOW;
    say(limit, back, BEGIN, new CellCounts(CELL - 10, 0, 100, 0));
    assertThat(limit.sharing().localCounts()).containsEntry(CELL - 10, 500L);
    assertThat(limit.room(BEGIN)).isEqualTo(400);
  }

  @Test
  void dayOfTheCalendar_endsWithItsCell() {
    LimitSpec day =
        new LimitSpec.Day(
            1_000, new ZoneMidnights(ZoneOffset.UTC, () -> (BEGIN + SHIFT) / 1_000_000), 0);
    long length = LimitSpec.Day.NANOS;
    long cell = Math.floorDiv(BEGIN + SHIFT, length);
    Limit limit = new Limit(day, BEGIN);
    List<CellCounts> words =
        List.of(new CellCounts(cell - 1, 0, 900, 0), new CellCounts(cell, 0, 300, 0));
    limit
        .sharing()
        .bindRegions(RegionCounts.of(day, length, SHIFT, words, (denied, capacity) -> {}), BEGIN);
    assertThat(RegionCells.cellNanos(day)).isEqualTo(length);
    assertThat(limit.room(BEGIN)).isEqualTo(700);
    assertThat(limit.admittedAt(701, BEGIN)).isEqualTo((cell + 1) * length - SHIFT);
  }
}
