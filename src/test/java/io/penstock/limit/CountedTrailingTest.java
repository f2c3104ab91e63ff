package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

/**
 * A trailing window with counts of others, some from the time that counts and some from just now.
 */
class CountedTrailingTest extends LimitContract {
  static final long SHIFT = 1_800_000_000_123L * 1_000_000;
  private static final long WINDOW = 60 * SECOND;
  private static final long OTHERS = 1_500;

  private static LimitSpec spec(long capacity) {
    return new LimitSpec.TrailingWindow(
        capacity, WINDOW, 50_000_000, LimitSpec.TrailingWindow.UNPACED);
  }

  static long cell(long window, long now) {
    return Math.floorDiv(now + SHIFT, window);
  }

  @Override
  Limit limit() {
    Limit limit = new Limit(spec(5_000), START);
    PeerCounts peerCounts =
        PeerCounts.none(WINDOW, SHIFT)
            .withReport(cell(WINDOW, START) - 1, OTHERS - 500, Long.MIN_VALUE, SHIFT, START)
            .withReport(cell(WINDOW, START), 500, START - SECOND / 10, SHIFT, START);
    limit.sharing().applyPeerCounts(peerCounts, new ShareDemand(() -> {}), START);
    return limit;
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
  void room_isWhatNeitherOneCounted() {
    Limit limit = limit();
    long counting = 5_000 - limit.room(START);
    assertThat(counting).isBetween(500L, OTHERS);
    limit.take(Weight.exactly(100), START);
    assertThat(limit.room(START)).isEqualTo(5_000 - counting - 100);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(100, 0, 0));
    assertThat(limit.cells(START)).extracting(ChargedCell::amount).containsExactly(100L);
    assertThat(limit.room(START + 62 * SECOND)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aWindowThatWasHeardOfAtOnce_leavesAsTheSlidingWindowCounterSays() {
    PeerCounts peerCounts =
        PeerCounts.none(WINDOW, SHIFT)
            .withReport(cell(WINDOW, START) - 1, 6_000, Long.MIN_VALUE, SHIFT, START);
    long begin = cell(WINDOW, START) * WINDOW - SHIFT;
    for (long elapsed = 1; elapsed < 60; elapsed++) {
      long formula = 6_000 * (60 - elapsed) / 60;
      assertThat(peerCounts.trailing(begin + elapsed * SECOND)).isBetween(formula, formula + 200);
    }
  }

  @Test
  void smallerOrOlderNews_changeNothing() {
    PeerCounts peerCounts =
        PeerCounts.none(WINDOW, SHIFT).withReport(cell(WINDOW, START), 500, START, SHIFT, START);
    assertThat(peerCounts.withReport(cell(WINDOW, START), 499, START, SHIFT, START))
        .isSameAs(peerCounts);
    assertThat(peerCounts.withReport(cell(WINDOW, START) - 2, 700, START, SHIFT, START))
        .isSameAs(peerCounts);
  }

  @Test
  void othersBeyondTheLimit_leaveNoRoomAndOverflowNothing() {
    Limit limit = new Limit(spec(5_000), START);
    PeerCounts most =
        PeerCounts.none(WINDOW, SHIFT)
            .withReport(cell(WINDOW, START), Long.MAX_VALUE, START, SHIFT, START)
            .withReport(cell(WINDOW, START) + 1, Long.MAX_VALUE, START, SHIFT, START);
    limit.sharing().applyPeerCounts(most, new ShareDemand(() -> {}), START);
    assertThat(limit.room(START)).isZero();
    assertThat(limit.utilization(START)).isEqualTo(1);
    assertThat(limit.admittedAt(1, START)).isBetween(START + WINDOW, START + WINDOW + 2 * SECOND);
  }

  @Test
  void limitWithoutAWindow_isNotCountedWithOthers() {
    Limit limit = new Limit(new LimitSpec.Concurrency(5), START);
    limit
        .sharing()
        .applyPeerCounts(PeerCounts.none(WINDOW, SHIFT), new ShareDemand(() -> {}), START);
    limit.take(new Weight(0, 2, 0), START);
    assertThat(limit.room(START)).isEqualTo(3);
  }

  @Test
  void anotherLengthOfWindow_isAnotherLimitToOthers() {
    Limit limit = limit();
    limit.resize(new LimitSpec.TrailingWindow(5_000, 2 * WINDOW, 0, 5_000), START);
    assertThat(limit.room(START)).isEqualTo(Long.MAX_VALUE);
  }
}
