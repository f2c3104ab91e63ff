package io.penstock.limit;

import static io.penstock.limit.LimitContract.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests of the sub-cells to which counts of others are assigned. Sub-cells are a second long here.
 */
class PeerCountsTest {
  private static final long WINDOW = 60 * SECOND;
  private static final long NEVER = Long.MIN_VALUE;

  /** The running cell, and its beginning: instants are those of the Unix clock. */
  private static final long CELL = 100;

  private static final long BEGIN = CELL * WINDOW;

  private static final PeerCounts NONE = PeerCounts.none(WINDOW, 0);

  private static PeerCounts heard(long cell, long amount, long since, long now) {
    return NONE.withReport(cell, amount, since, 0, now);
  }

  /** Returns what was counted in the sub-cell of an instant. */
  private static long in(PeerCounts peerCounts, long instant) {
    return peerCounts.trailing(instant, 0) - peerCounts.trailing(instant + SECOND, 0);
  }

  @Test
  void moreInACell_addsWhatIsNew() {
    PeerCounts first = heard(CELL, 500, BEGIN, BEGIN + SECOND);
    PeerCounts second = first.withReport(CELL, 700, BEGIN + SECOND, 0, BEGIN + 2 * SECOND);
    assertThat(second.trailing(BEGIN + 2 * SECOND)).isEqualTo(700);
    assertThat(in(second, BEGIN + SECOND)).isEqualTo(500);
    assertThat(in(second, BEGIN + 2 * SECOND)).isEqualTo(200);
    assertThat(second.cells()).containsExactly(Map.entry(CELL, 700L));
  }

  @Test
  void sameCountAgain_isNoNews() {
    PeerCounts first = heard(CELL, 500, BEGIN, BEGIN + SECOND);
    assertThat(first.withReport(CELL, 500, BEGIN, 0, BEGIN + SECOND)).isSameAs(first);
    assertThat(first.withReport(CELL - 2, 500, BEGIN, 0, BEGIN + SECOND)).isSameAs(first);
    assertThat(first.withReport(CELL - 1, 1, BEGIN, 0, BEGIN + SECOND)).isNotSameAs(first);
  }

  @Test
  void countsLongAgo_areForgotten() {
    PeerCounts first = heard(CELL, 500, BEGIN, BEGIN + SECOND);
    long later = BEGIN + 2 * WINDOW;
    PeerCounts second =
        first
            .withReport(CELL + 1, 20, later, 0, later)
            .withReport(CELL + 2, 3, later, 0, later)
            .withReport(CELL + 3, 1, later, 0, later);
    assertThat(second.cells())
        .containsOnly(Map.entry(CELL + 1, 20L), Map.entry(CELL + 2, 3L), Map.entry(CELL + 3, 1L));
    assertThat(second.trailing(later)).isEqualTo(24);
    long muchLater = BEGIN + 10 * WINDOW;
    PeerCounts third = first.withReport(CELL + 10, 7, muchLater, 0, muchLater);
    assertThat(third.trailing(muchLater, 2 * WINDOW)).isEqualTo(7);
    assertThat(third.cells()).containsExactly(Map.entry(CELL + 10, 7L));
  }

  @Test
  void cellThatIsHeardOfFirst_isSpreadOverAllOfIt() {
    PeerCounts before = heard(CELL - 1, 6_000, NEVER, BEGIN + 10 * SECOND);
    for (long second = 0; second < 60; second++) {
      assertThat(in(before, BEGIN - WINDOW + second * SECOND)).isEqualTo(100);
    }
    assertThat(in(before, BEGIN)).isZero();
    PeerCounts running = heard(CELL, 1_105, NEVER, BEGIN + 10 * SECOND);
    for (long second = 0; second < 10; second++) {
      assertThat(in(running, BEGIN + second * SECOND)).isEqualTo(100);
    }
    assertThat(in(running, BEGIN + 10 * SECOND)).as("the rest").isEqualTo(105);
  }

  @Test
  void afterASilence_isSpreadOverThat() {
    PeerCounts peerCounts = heard(CELL, 40, BEGIN + 5 * SECOND, BEGIN + 9 * SECOND);
    assertThat(in(peerCounts, BEGIN + 5 * SECOND)).isZero();
    for (long second = 6; second <= 9; second++) {
      assertThat(in(peerCounts, BEGIN + second * SECOND)).isEqualTo(10);
    }
  }

  @Test
  void afterASilenceSinceTheBeginning_isSpreadFromThatOn() {
    PeerCounts peerCounts = heard(CELL, 30, BEGIN, BEGIN + 2 * SECOND);
    for (long second = 0; second <= 2; second++) {
      assertThat(in(peerCounts, BEGIN + second * SECOND)).isEqualTo(10);
    }
  }

  @Test
  void silenceOfASubCellAndNoMore_isNone() {
    long now = BEGIN + 5 * SECOND + SECOND / 2;
    assertThat(in(heard(CELL, 40, now - SECOND, now), now)).isEqualTo(40);
    long next = BEGIN + 5 * SECOND;
    PeerCounts longer = heard(CELL, 40, next - SECOND - 1, next);
    assertThat(in(longer, next - SECOND)).isEqualTo(20);
    assertThat(in(longer, next)).isEqualTo(20);
    PeerCounts justSo = heard(CELL - 1, 40, BEGIN - SECOND / 2, BEGIN + SECOND / 2);
    assertThat(in(justSo, BEGIN)).isEqualTo(40);
  }

  @Test
  void endOfACellHeardOfInTheNext_isOfItsLastSubCell() {
    PeerCounts peerCounts = heard(CELL - 1, 40, BEGIN - 2 * SECOND, BEGIN + 5 * SECOND);
    assertThat(in(peerCounts, BEGIN - SECOND)).isEqualTo(40);
    assertThat(in(peerCounts, BEGIN + 5 * SECOND)).isZero();
  }

  @Test
  void cellHeardOfBeforeItBegan_isCountedNow() {
    PeerCounts peerCounts = heard(CELL, 40, NEVER, BEGIN - 3 * SECOND);
    assertThat(in(peerCounts, BEGIN - 3 * SECOND)).isEqualTo(40);
    assertThat(peerCounts.trailing(BEGIN + 60 * SECOND)).isZero();
  }

  @Test
  void spanLongerThanWhatIsKept_countsAllOnce() {
    PeerCounts peerCounts = heard(CELL, 40, BEGIN, BEGIN + SECOND);
    assertThat(peerCounts.trailing(BEGIN + SECOND, 10 * WINDOW)).isEqualTo(40);
  }

  @Test
  void less_isWhenTheOldestSubCellThatHasAnythingLeaves() {
    PeerCounts peerCounts = heard(CELL, 40, BEGIN + 10 * SECOND, BEGIN + 10 * SECOND);
    assertThat(peerCounts.less(BEGIN + 20 * SECOND, WINDOW))
        .isEqualTo(BEGIN + 11 * SECOND + WINDOW);
    assertThat(peerCounts.less(BEGIN + 11 * SECOND + WINDOW, WINDOW)).isEqualTo(Ticker.NEVER);
    assertThat(NONE.less(BEGIN, WINDOW)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void windowsOfItsLength_areThoseItIsOf() {
    ZoneMidnights zoneMidnights = new ZoneMidnights(ZoneOffset.UTC, () -> 0);
    PeerCounts day = PeerCounts.none(LimitSpec.Day.NANOS, 0);
    for (LimitSpec spec : new LimitSpec[] {fixed(WINDOW), trailing(WINDOW), sliding(WINDOW)}) {
      assertThat(NONE.matches(spec)).as("%s", spec).isTrue();
      assertThat(day.matches(spec)).as("%s", spec).isFalse();
    }
    assertThat(day.matches(new LimitSpec.Day(5, zoneMidnights, 0))).isTrue();
    assertThat(day.matches(new LimitSpec.Day(5, null, 0))).isTrue();
    assertThat(NONE.matches(new LimitSpec.Day(5, null, 0))).isFalse();
    assertThat(NONE.matches(new LimitSpec.Concurrency(5))).isFalse();
    assertThat(NONE.matches(new LimitSpec.Unlimited())).isFalse();
    assertThat(NONE.matches(new LimitSpec.Strict(new ExactRate(1, 1), 0))).isFalse();
    assertThat(NONE.matches(new LimitSpec.TokenBucket(new ExactRate(1, 1), 5))).isFalse();
  }

  private static LimitSpec fixed(long window) {
    return new LimitSpec.FixedWindow(5, window);
  }

  private static LimitSpec trailing(long window) {
    return new LimitSpec.TrailingWindow(5, window, 0, 5);
  }

  private static LimitSpec sliding(long window) {
    return new LimitSpec.SlidingWindow(5, window);
  }
}
