package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static io.penstock.limit.CountedTrailingTest.cell;
import static io.penstock.limit.HeldShares.taken;
import static io.penstock.limit.LimitContract.SECOND;
import static io.penstock.limit.LimitContract.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cost.Weight;
import io.penstock.limit.RegionCounts.CellCounts;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests of the exact instants at which other regions' counts leave room, and of effects on other
 * calls.
 */
class RegionBoundsTest {
  private static final long WINDOW = 60 * SECOND;
  private static final long CELL = cell(WINDOW, START);
  private static final long BEGIN = CELL * WINDOW - SHIFT;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(1_000, WINDOW);

  private final ShareDemand shareDemand = new ShareDemand(() -> {});

  private static LimitSpec spec(long capacity) {
    return new LimitSpec.TrailingWindow(capacity, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  private static void say(Limit limit, boolean fades, List<CellCounts> words) {
    RegionCounts regionCounts =
        new RegionCounts(WINDOW, SHIFT, fades, words, (denied, capacity) -> {});
    limit.sharing().bindRegions(regionCounts, BEGIN);
  }

  private static Limit limit(LimitSpec spec, CellCounts... words) {
    Limit limit = new Limit(spec, BEGIN);
    say(limit, true, List.of(words));
    return limit;
  }

  private static Limit limit(CellCounts... words) {
    return limit(spec(1_000), words);
  }

  private static CellCounts counted(long cell, long foreign) {
    return new CellCounts(cell, 0, foreign, 0);
  }

  @Test
  void resized_keepsWhatRegionsCounted_ifItsCellsAreTheSame() {
    Limit limit = limit(counted(CELL, 300));
    taken(limit, 100, BEGIN);
    limit.resize(spec(2_000), BEGIN);
    assertThat(limit.room(BEGIN)).isEqualTo(1_600);
    assertThat(limit.sharing().localCounts()).containsOnly(Map.entry(CELL, 100L));
    assertThat(limit.sharing().isBoundToRegions()).isTrue();
    limit.resize(FIXED, BEGIN);
    assertThat(limit.room(BEGIN)).isEqualTo(900);
    assertThat(limit.sharing().isBoundToRegions()).isFalse();
    assertThat(limit.sharing().localCounts()).isEmpty();
  }

  @Test
  void unbound_leavesRoomForNobody() {
    Limit limit = limit(counted(CELL, 300));
    taken(limit, 100, BEGIN);
    limit.sharing().unbindRegions();
    assertThat(limit.room(BEGIN)).isEqualTo(900);
    assertThat(limit.sharing().isBoundToRegions()).isFalse();
  }

  @Test
  void sameCells_areOfWindowsOfOneKindAndLength() {
    LimitSpec sliding = new LimitSpec.SlidingWindow(1_000, WINDOW);
    LimitSpec longer = new LimitSpec.FixedWindow(1_000, 2 * WINDOW);
    LimitSpec permits = new LimitSpec.Concurrency(5);
    assertThat(RegionCells.sameCells(FIXED, new LimitSpec.FixedWindow(7, WINDOW))).isTrue();
    assertThat(RegionCells.sameCells(FIXED, sliding)).isFalse();
    assertThat(RegionCells.sameCells(FIXED, longer)).isFalse();
    assertThat(RegionCells.sameCells(permits, permits)).isFalse();
  }

  @Test
  void openToAll_isBoundByNoRegion() {
    Limit limit = limit(counted(CELL, 300));
    limit.sharing().applyPeerCounts(PeerCounts.none(WINDOW, SHIFT), shareDemand, BEGIN);
    limit.sharing().cutOff(new OutageCap.Open(), 0);
    taken(limit, 1_000, BEGIN);
    assertThat(limit.room(BEGIN)).isEqualTo(Long.MAX_VALUE);
    assertThat(limit.sharing().localCounts()).containsEntry(CELL, 1_000L);
  }

  @Test
  void shut_waitsForNobodyUntilItRejoins() {
    Limit limit = limit(counted(CELL, 300));
    limit.sharing().applyPeerCounts(PeerCounts.none(WINDOW, SHIFT), shareDemand, BEGIN);
    limit
        .sharing()
        .cutOff(new OutageCap.Shut(Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "away")), 0);
    assertThat(limit.room(BEGIN)).isZero();
    assertThat(limit.roomFreeAt(800, BEGIN)).isGreaterThan(BEGIN).isLessThan(Ticker.NEVER);
    assertThat(limit.roomFreeAt(700, BEGIN)).isEqualTo(Ticker.NEVER);
    limit.sharing().rejoin();
    assertThat(limit.room(BEGIN)).isEqualTo(700);
  }

  /**
   * The cell before counted 600, and 400 fit with the reserved and wanted amounts: 60 s × 401 ÷ 600
   * are left.
   */
  @Test
  void whatIsHeld_isKeptFreeWhenTheCellBeforeFades() {
    Limit limit = limit(counted(CELL - 1, 600));
    taken(limit, new Weight(0, 100, 0), BEGIN);
    long opens = BEGIN + 19_900_000_001L;
    assertThat(limit.roomFreeAt(500, BEGIN)).isEqualTo(opens);
    assertThat(limit.room(opens - 1)).isEqualTo(499);
    assertThat(limit.room(opens)).isEqualTo(500);
  }

  @Test
  void allOfTheRest_opensWhenLessThanOneOfTheCellBeforeIsLeft() {
    Limit limit = limit(counted(CELL - 1, 600), counted(CELL, 500));
    long opens = BEGIN + WINDOW - 99_999_999;
    assertThat(limit.roomFreeAt(500, BEGIN)).isEqualTo(opens);
    assertThat(limit.room(opens - 1)).isEqualTo(499);
    assertThat(limit.room(opens)).isEqualTo(500);
  }

  @Test
  void nothing_isAlwaysThere() {
    Limit limit = limit(counted(CELL, 1_000));
    assertThat(limit.roomFreeAt(0, BEGIN + 1)).isEqualTo(BEGIN + 1);
    assertThat(limit.roomFreeAt(1, BEGIN + 1)).isGreaterThan(BEGIN + WINDOW);
  }

  @Test
  void manyFullCells_areWaitedForNoLongerThanSixteenOfThem() {
    Limit limit = new Limit(spec(1_000), BEGIN);
    List<CellCounts> words = new ArrayList<>();
    for (long cell = CELL; cell < CELL + 40; cell++) {
      words.add(counted(cell, 1_000));
    }
    say(limit, false, words);
    assertThat(limit.roomFreeAt(1, BEGIN)).isEqualTo(BEGIN + 16 * WINDOW);
  }

  @Test
  void shareLacks_onlyWhereRegionsHaveRoom() {
    Limit limit = limit(counted(CELL, 300));
    limit.sharing().holdShares(at -> true, shareDemand, BEGIN);
    assertThat(limit.sharing().isAwaitingShare(700, BEGIN)).isTrue();
    assertThat(limit.sharing().isAwaitingShare(701, BEGIN)).isFalse();
    assertThat(limit.admittedAt(700, BEGIN)).isEqualTo(Ticker.NEVER);
    assertThat(shareDemand.most()).isZero();
    limit.recordDemand(700, BEGIN);
    assertThat(shareDemand.most()).isEqualTo(700);
    assertThat(limit.sharing().demand()).isSameAs(shareDemand);
  }

  @Test
  void windowThatOthersUsedUp_startsAnewWhenRegionsLeaveRoomToo() {
    Limit limit = new Limit(FIXED, BEGIN);
    HeldShares.none(limit, () -> {}, BEGIN);
    HeldShares.give(limit, 0, BEGIN, BEGIN);
    say(limit, false, List.of(counted(CELL, 100), counted(CELL + 1, 600)));
    assertThat(limit.decide(Weight.exactly(500), BEGIN))
        .isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    HeldShares.deny(limit, 10, BEGIN);
    assertThat(limit.decide(Weight.exactly(400), BEGIN))
        .isEqualTo(new LimitAnswer.Wait(BEGIN + WINDOW));
    assertThat(limit.decide(Weight.exactly(401), BEGIN))
        .isEqualTo(new LimitAnswer.Wait(BEGIN + 2 * WINDOW));
  }

  @Test
  void left_isWhatRegionsLeave_andUseIsThatOfTheLimitAlone() {
    Limit limit = limit(counted(CELL, 400));
    taken(limit, 100, BEGIN);
    long full = limit.fullyFreeAt(BEGIN);
    assertThat(full).isBetween(BEGIN + WINDOW, BEGIN + WINDOW + SECOND);
    assertThat(limit.remainder(BEGIN)).isEqualTo(new LimitRemainder(500, full));
    assertThat(limit.utilization(BEGIN)).isEqualTo(0.1, within(1e-9));
    say(limit, true, List.of());
    assertThat(limit.remainder(BEGIN)).isEqualTo(new LimitRemainder(900, full));
  }

  @Test
  void clockSetBackByACell_isWaitedFor_byMoreIsFollowed() {
    Limit limit = limit();
    taken(limit, 500, BEGIN);
    RegionCounts byOne =
        new RegionCounts(WINDOW, SHIFT - WINDOW, true, List.of(), (denied, capacity) -> {});
    limit.sharing().bindRegions(byOne, BEGIN);
    assertThat(limit.sharing().localCounts()).containsOnlyKeys(CELL);
    RegionCounts byTwo =
        new RegionCounts(WINDOW, SHIFT - 2 * WINDOW, true, List.of(), (denied, capacity) -> {});
    limit.sharing().bindRegions(byTwo, BEGIN);
    assertThat(limit.sharing().localCounts()).containsOnlyKeys(CELL - 2);
  }

  @Test
  void largestCounts_fadeToTheUnit() {
    Random random = new Random(11);
    for (int round = 0; round < 500; round++) {
      long before = random.nextLong(1L << (1 + random.nextInt(60)));
      long elapsed = random.nextLong(WINDOW);
      long left = WINDOW - elapsed;
      BigInteger fades =
          BigInteger.valueOf(before)
              .multiply(BigInteger.valueOf(left))
              .divide(BigInteger.valueOf(WINDOW));
      Limit limit = limit(spec(1L << 60), counted(CELL - 1, before), counted(CELL, 1));
      assertThat(limit.room(BEGIN + elapsed))
          .as("%d after %d", before, elapsed)
          .isEqualTo((1L << 60) - 1 - fades.longValueExact());
    }
  }
}
