package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;

/** Tests of a fixed window with debt and reserved output, and of a beginning that others set. */
class FixedWindowBoundsTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long START = LimitContract.START;
  private static final long WINDOW = 10 * SECOND;
  private static final LimitSpec.FixedWindow SPEC = new LimitSpec.FixedWindow(100, WINDOW);

  private static FixedWindowState state(long charged, long debt, long reserved) {
    return new FixedWindowState(SPEC, START, charged, debt, reserved);
  }

  private static FixedWindowState begun(long begin, long charged, long debt, long reserved) {
    return new FixedWindowState(SPEC, begin, charged, debt, reserved);
  }

  @Test
  void beginningWithinHalfAWindow_isTheSameWindow() {
    long begin = START + WINDOW / 2;
    assertThat(state(60, 20, 7).anchored(begin, START + 9 * SECOND))
        .isEqualTo(begun(begin, 60, 20, 7));
    assertThat(state(60, 20, 7).anchored(START - SECOND, START + SECOND))
        .isEqualTo(begun(START - SECOND, 60, 20, 7));
  }

  @Test
  void beginningMoreThanHalfAWindowLater_isTheNextThatPaysWhatIsOwed() {
    long begin = START + WINDOW / 2 + 1;
    long now = START + 9 * SECOND;
    assertThat(state(60, 0, 7).anchored(begin, now)).isEqualTo(begun(begin, 0, 0, 7));
    assertThat(state(60, 30, 7).anchored(begin, now)).isEqualTo(begun(begin, 30, 0, 7));
    assertThat(state(100, 250, 7).anchored(begin, now)).isEqualTo(begun(begin, 100, 150, 7));
    assertThat(state(0, 0, 0).anchored(begin, now)).isEqualTo(begun(begin, 0, 0, 0));
  }

  @Test
  void whatFits_opensNowAndWhatIsLeftOnlyWithTheNext() {
    FixedWindowState state = state(60, 0, 10);
    long now = START + 4 * SECOND;
    assertThat(state.roomFreeAt(30, now)).isEqualTo(now);
    assertThat(state.roomFreeAt(31, now)).isEqualTo(START + WINDOW);
    assertThat(state.roomFreeAt(91, now)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void forgiven_countsInItsWindowAndIsOwedNoMore() {
    assertThat(state(100, 50, 3).withoutDebt()).isEqualTo(state(150, 0, 3));
  }

  @Test
  void givenBack_debtIsForgivenFirstAndNoMoreThanThereIs() {
    assertThat(state(100, 50, 5).giveBack(START, 40, 0, START)).isEqualTo(state(100, 10, 5));
    assertThat(state(100, 50, 5).giveBack(START, 120, 2, START)).isEqualTo(state(30, 0, 3));
    assertThat(state(100, 50, 5).giveBack(START, 1_000, 9, START)).isEqualTo(state(0, 0, 0));
  }

  @Test
  void debtOfAsManyWindowsAsThereAre_opensInTheLastAndThatOfOneMoreNever() {
    LimitSpec.FixedWindow one = new LimitSpec.FixedWindow(1, WINDOW);
    long start = 5 * WINDOW;
    long windows = (AmountBound.MOST - start) / WINDOW;
    LocalState last = new FixedWindowState(one, start, 1, windows - 1, 0);
    assertThat(last.roomFreeAt(1, start)).isEqualTo(start + windows * WINDOW);
    LocalState beyond = new FixedWindowState(one, start, 1, windows, 0);
    assertThat(beyond.roomFreeAt(1, start)).isEqualTo(Ticker.NEVER);
  }
}
