package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Tests of what an open window takes, gives back and charges in place, and of what needs a
 * successor.
 */
class OpenWindowBoundsTest {
  private static final long WINDOW = 1_000_000;
  private static final long START = 5_000_000;
  private static final long END = START + WINDOW;
  private static final LimitSpec.FixedWindow SPEC = new LimitSpec.FixedWindow(100, WINDOW);

  private static OpenWindow open(long charged) {
    return new OpenWindow(SPEC, START, charged);
  }

  @Test
  void takesInPlace_asMuchAsFits() {
    OpenWindow open = open(0);
    assertThat(open.tryTake(40, START)).isTrue();
    assertThat(open.tryTake(61, END - 1)).isFalse();
    assertThat(open.tryTake(60, END - 1)).isTrue();
    assertThat(open.room(END - 1)).isZero();
    assertThat(open.tryTake(0, END - 1)).isTrue();
    assertThat(open.tryTake(1, END - 1)).isFalse();
  }

  @Test
  void emptyWindowLaterThanItsStart_wouldStartAnew() {
    assertThat(open(0).tryTake(1, START + 1)).isFalse();
    assertThat(open(0).tryTake(1, START)).isTrue();
    assertThat(open(1).tryTake(1, START + 1)).isTrue();
  }

  @Test
  void chargesInPlace_asMuchAsFits_fromTheFirstOn() {
    OpenWindow open = open(0);
    assertThat(open.tryCharge(40, START + 1)).isTrue();
    assertThat(open.tryCharge(61, END - 1)).as("the rest would be debt").isFalse();
    assertThat(open.tryCharge(60, END - 1)).isTrue();
    assertThat(open.balance(END - 1)).isEqualTo(new LimitBalance(100, 0, 0));
    assertThat(open.cells(END - 1)).containsExactly(new ChargedCell(START, 100));
  }

  @Test
  void givesBackInPlace_whatIsOfThisWindow_andNoMoreThanIsCharged() {
    OpenWindow open = open(50);
    assertThat(open.tryGive(START, 20, END - 1)).isTrue();
    assertThat(open.room(END - 1)).isEqualTo(70);
    assertThat(open.tryGive(START - WINDOW, 20, END - 1)).isTrue();
    assertThat(open.room(END - 1)).isEqualTo(70);
    assertThat(open.tryGive(START, 31, END - 1)).isTrue();
    assertThat(open.room(END - 1)).isEqualTo(100);
    assertThat(open.tryGive(START, 1, END - 1)).as("empty already").isTrue();
    assertThat(open.room(END - 1)).isEqualTo(100);
  }

  @Test
  void frozen_changesNothingMoreInPlace() {
    OpenWindow open = open(30);
    FixedWindowState frozen = open.frozen();
    assertThat(frozen).isEqualTo(new FixedWindowState(SPEC, START, 30, 0, 0));
    assertThat(open.tryTake(1, START)).isFalse();
    assertThat(open.tryCharge(1, START)).isFalse();
    assertThat(open.tryGive(START, 1, START)).isFalse();
    assertThat(open.frozen()).isEqualTo(frozen);
    assertThat(open.room(START)).isEqualTo(70);
  }

  @Test
  void over_changesNothingMoreInPlace() {
    OpenWindow open = open(30);
    assertThat(open.tryTake(1, END)).isFalse();
    assertThat(open.tryCharge(1, END)).isFalse();
    assertThat(open.tryGive(START, 1, END)).isFalse();
    assertThat(open.room(END)).isEqualTo(100);
    assertThat(open.room(END - 1)).isEqualTo(70);
  }
}
