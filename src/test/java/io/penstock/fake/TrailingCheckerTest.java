package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TrailingCheckerTest {
  private final TrailingChecker checker = new TrailingChecker(100, 1_000);

  @Test
  void limitReached_oneMoreDoesNotFit() {
    checker.charge(0, 60);
    assertThat(checker.fits(0, 40)).isTrue();
    assertThat(checker.fits(0, 41)).isFalse();
    checker.charge(1, 40);
    assertThat(checker.fits(999, 0)).isTrue();
    assertThat(checker.fits(999, 1)).isFalse();
  }

  @Test
  void chargeAWindowOld_countsNoMore() {
    checker.charge(0, 60);
    checker.charge(500, 40);
    assertThat(checker.used(999)).isEqualTo(100);
    assertThat(checker.used(1_000)).isEqualTo(40);
    assertThat(checker.fits(1_000, 60)).isTrue();
    assertThat(checker.fits(1_000, 61)).isFalse();
  }

  @Test
  void chargeToCome_countsWhenItCame() {
    checker.charge(10, 100);
    assertThat(checker.fits(9, 100)).isTrue();
    assertThat(checker.fits(10, 1)).isFalse();
  }

  @Test
  void windowOverrun_isSeenAfterwards() {
    checker.charge(0, 60);
    checker.charge(999, 41);
    assertThat(checker.most()).isEqualTo(101);
    assertThat(checker.fits(999, 0)).isFalse();
    assertThat(checker.total()).isEqualTo(101);
  }

  @Test
  void leastUsedWindow_isTheOneAfterAGap() {
    checker.charge(0, 30);
    checker.charge(100, 30);
    checker.charge(1_050, 30);
    assertThat(checker.least(100, 999)).isEqualTo(60);
    assertThat(checker.least(100, 1_049)).isEqualTo(30);
    assertThat(checker.least(1_050, 1_050)).isEqualTo(60);
    assertThat(checker.least(1_050, 1_100)).isEqualTo(30);
    assertThat(checker.least(5, 4)).isEqualTo(100);
  }

  @Test
  void meanUse_weighsEachChargeByTheTimeItCounts() {
    checker.charge(0, 30);
    checker.charge(1_500, 60);
    assertThat(checker.mean(0, 1_000)).isEqualTo(30);
    assertThat(checker.mean(500, 1_500)).isEqualTo(15);
    assertThat(checker.mean(500, 2_500)).isEqualTo(37.5);
    assertThat(checker.mean(5, 5)).isZero();
  }
}
