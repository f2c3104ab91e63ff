package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FixedCheckerTest {
  private final FixedChecker checker = new FixedChecker(100, 1_000, 250);

  @Test
  void limitReached_oneMoreIsRefused() {
    assertThat(checker.arrives(7, 60)).isTrue();
    assertThat(checker.arrives(8, 41)).isFalse();
    assertThat(checker.arrives(8, 40)).isTrue();
    assertThat(checker.arrives(1_006, 1)).isFalse();
    assertThat(checker.used(0)).isEqualTo(100);
  }

  @Test
  void nextWindow_startsAWindowAfterTheFirstUse() {
    assertThat(checker.arrives(7, 100)).isTrue();
    assertThat(checker.arrives(1_007, 100)).isTrue();
    assertThat(checker.arrives(1_007, 1)).isFalse();
    assertThat(checker.used(1)).isEqualTo(100);
  }

  @Test
  void arrivalWithinTheGrace_countsToTheEarlierWindowWhileThatHasRoom() {
    assertThat(checker.arrives(0, 60)).isTrue();
    assertThat(checker.arrives(1_250, 40)).isTrue();
    assertThat(checker.arrives(1_250, 100)).isTrue();
    assertThat(checker.used(0)).isEqualTo(100);
    assertThat(checker.used(1)).isEqualTo(100);
  }

  @Test
  void arrivalAfterTheGrace_countsToItsOwnWindow() {
    assertThat(checker.arrives(0, 60)).isTrue();
    assertThat(checker.arrives(1_251, 40)).isTrue();
    assertThat(checker.arrives(1_252, 61)).isFalse();
    assertThat(checker.used(0)).isEqualTo(60);
  }

  @Test
  void production_isChargedWhereItFallsAndCanOverrun() {
    assertThat(checker.arrives(0, 60)).isTrue();
    checker.produced(999, 41);
    checker.produced(1_000, 1);
    assertThat(checker.most()).isEqualTo(101);
    assertThat(checker.used(1)).isEqualTo(1);
    assertThat(checker.produced(0)).isEqualTo(41);
    assertThat(checker.total()).isEqualTo(102);
  }

  @Test
  void begin_setsTheGridOnce() {
    checker.begin(100);
    checker.begin(900);
    assertThat(checker.window(1_099)).isZero();
    assertThat(checker.window(1_100)).isEqualTo(1);
    assertThat(checker.start(2)).isEqualTo(2_100);
  }
}
