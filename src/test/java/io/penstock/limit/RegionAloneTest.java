package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A limit that regions share, without any report of another region. */
class RegionAloneTest extends LimitContract {
  private static final long WINDOW = 60 * SECOND;

  private static LimitSpec spec(long capacity) {
    return new LimitSpec.TrailingWindow(
        capacity, WINDOW, 50_000_000, LimitSpec.TrailingWindow.UNPACED);
  }

  static Limit shared(LimitSpec spec, long now) {
    Limit limit = new Limit(spec, now);
    RegionCounts none =
        RegionCounts.of(
            spec, RegionCells.cellNanos(spec), SHIFT, List.of(), (denied, capacity) -> {});
    limit.sharing().bindRegions(none, now);
    return limit;
  }

  @Override
  Limit limit() {
    return shared(spec(5_000), START);
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
  void randomUse_isAnsweredAsWithoutRegions() {
    for (long seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      Limit shared = limit();
      Limit alone = new Limit(spec(5_000), START);
      List<LimitAnswer.Receipt> ofShared = new ArrayList<>();
      List<LimitAnswer.Receipt> ofAlone = new ArrayList<>();
      long now = START;
      for (int step = 0; step < 300; step++) {
        now += random.nextLong(2 * SECOND);
        long taken = random.nextLong(500);
        Weight weight = new Weight(taken, random.nextLong(200), random.nextLong(taken + 1));
        LimitAnswer one = shared.take(weight, now);
        LimitAnswer other = alone.take(weight, now);
        assertThat(one).as("seed " + seed).hasSameClassAs(other);
        if (one instanceof LimitAnswer.Receipt given && other instanceof LimitAnswer.Receipt same) {
          ofShared.add(given);
          ofAlone.add(same);
        } else {
          assertThat(one).isEqualTo(other);
        }
        if (random.nextInt(4) == 0 && !ofShared.isEmpty()) {
          LimitAnswer.Receipt given = ofShared.removeLast();
          LimitAnswer.Receipt same = ofAlone.removeLast();
          shared.giveBack(given, given.taken(), given.reserved(), now);
          alone.giveBack(same, same.taken(), same.reserved(), now);
        }
        assertThat(shared.room(now)).isEqualTo(alone.room(now));
        assertThat(shared.cells(now)).isEqualTo(alone.cells(now));
        assertThat(shared.balance(now)).isEqualTo(alone.balance(now));
      }
    }
  }

  @Test
  void countedByInstancesAndHeldToAShare_staysWhatRegionsShare() {
    Limit limit = limit();
    limit.take(Weight.exactly(100), START);
    limit
        .sharing()
        .applyPeerCounts(
            PeerCounts.none(WINDOW, SHIFT).withReport(cell(START), 1_000, START, SHIFT, START),
            new ShareDemand(() -> {}),
            START);
    assertThat(limit.room(START)).isEqualTo(3_900);
    limit.sharing().cutOff(new OutageCap.Open(), 0);
    assertThat(limit.room(START)).isEqualTo(Long.MAX_VALUE);
    limit.sharing().rejoin();
    limit.sharing().dropPeerCounts();
    limit.sharing().holdShares(at -> true, new ShareDemand(() -> {}), START);
    assertThat(limit.sharing().demand()).isNotNull();
    assertThat(limit.room(START)).isZero();
    limit.sharing().unshare(START);
    assertThat(limit.room(START)).isEqualTo(4_900);
    assertThat(limit.sharing().localCounts()).containsEntry(cell(START), 100L);
  }

  private static long cell(long now) {
    return CountedTrailingTest.cell(WINDOW, now);
  }

  @Test
  void limitsThatRegionsCannotCount_haveNoCells() {
    assertThat(RegionCells.cellNanos(spec(10))).isEqualTo(WINDOW);
    assertThat(RegionCells.cellNanos(new LimitSpec.Day(10, null, 0)))
        .isEqualTo(LimitSpec.Day.NANOS);
    assertThat(RegionCells.cellNanos(new LimitSpec.FixedWindow(10, WINDOW - 1))).isZero();
    assertThat(RegionCells.cellNanos(new LimitSpec.SlidingWindow(10, WINDOW + 1))).isZero();
    assertThat(RegionCells.cellNanos(new LimitSpec.Concurrency(10))).isZero();
    assertThat(RegionCells.cellNanos(new LimitSpec.Unlimited())).isZero();
  }
}
