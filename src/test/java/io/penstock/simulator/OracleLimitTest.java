package io.penstock.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

/** Tests of the oracle's limits against cases worked out by hand. */
class OracleLimitTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;

  private static OracleLimit bucket(long releases, long seconds, long burst) {
    return OracleLimitFactory.create(
        new LimitSpec.TokenBucket(new ExactRate(releases, seconds), burst), 0);
  }

  private static OracleLimit sliding(long capacity, long nanos) {
    return OracleLimitFactory.create(new LimitSpec.SlidingWindow(capacity, nanos), 0);
  }

  private static OracleLimit strict(long releases, long seconds, long early) {
    return OracleLimitFactory.create(
        new LimitSpec.Strict(new ExactRate(releases, seconds), early), 0);
  }

  @Test
  void bucketOfThreeASecond_emptied_fillsAtThirdsRoundedUp() {
    OracleLimit limit = bucket(3, 1, 2);
    limit.take(1, 0, 0);
    limit.take(1, 0, 0);
    assertThat(limit.free(0)).isZero();
    assertThat(limit.free(333_333_333)).isZero();
    assertThat(limit.free(333_333_334)).isEqualTo(1);
    assertThat(limit.free(666_666_666)).isEqualTo(1);
    assertThat(limit.free(666_666_667)).isEqualTo(2);
    assertThat(limit.free(9 * SECOND)).isEqualTo(2);
  }

  @Test
  void bucketOfThreeASecond_takenAsItFills_neverRoundsTwice() {
    OracleLimit limit = bucket(3, 1, 2);
    limit.take(2, 0, 0);
    limit.take(1, 0, 333_333_334);
    limit.take(1, 0, 666_666_667);
    assertThat(limit.free(SECOND - 1)).isZero();
    assertThat(limit.free(SECOND)).isEqualTo(1);
  }

  @Test
  void bucketOfSevenInElevenSeconds_oneTaken_isFullAfterElevenSevenths() {
    OracleLimit limit = bucket(7, 11, 1);
    limit.take(1, 0, 5);
    assertThat(limit.free(5 + 1_571_428_571L)).isZero();
    assertThat(limit.free(5 + 1_571_428_572L)).isEqualTo(1);
  }

  @Test
  void bucket_givenBackBeforeItIsFullAgain_hasItBack() {
    OracleLimit limit = bucket(1, 1, 3);
    long cell = limit.take(1, 0, 0);
    limit.take(1, 0, 0);
    limit.give(cell, 1, 0, SECOND / 2);
    assertThat(limit.free(SECOND / 2)).isEqualTo(2);
    assertThat(limit.free(SECOND)).isEqualTo(3);
  }

  @Test
  void bucket_givenBackAfterItWasFullAgain_isNotOneTooMany() {
    OracleLimit limit = bucket(1, 1, 3);
    long cell = limit.take(1, 0, 0);
    limit.take(1, 0, 2 * SECOND);
    limit.give(cell, 1, 0, 2 * SECOND);
    assertThat(limit.free(2 * SECOND)).isEqualTo(2);
  }

  @Test
  void bucket_largerBurst_whatIsSpentStaysSpent() {
    OracleLimit limit = bucket(1, 1, 3);
    limit.take(2, 0, 0);
    limit.resize(new LimitSpec.TokenBucket(new ExactRate(1, 2), 10), SECOND / 2);
    assertThat(limit.free(SECOND / 2)).isEqualTo(8);
    // Half of one was there; the other half takes a second at half the rate.
    assertThat(limit.free(3 * SECOND / 2 - 1)).isEqualTo(8);
    assertThat(limit.free(3 * SECOND / 2)).isEqualTo(9);
  }

  @Test
  void bucketThatOwesMoreThanItHolds_paysFirst() {
    OracleLimit limit =
        OracleLimitFactory.create(
            new LimitSpec.TokenBucket(new ExactRate(1, 1), 2), 5, 10 * SECOND);
    assertThat(limit.free(13 * SECOND)).isZero();
    assertThat(limit.free(14 * SECOND - 1)).isZero();
    assertThat(limit.free(14 * SECOND)).isEqualTo(1);
    assertThat(limit.owed(14 * SECOND)).isEqualTo(1);
  }

  @Test
  void slidingWindow_releaseAtItsEnd_countsNoMore() {
    OracleLimit limit = sliding(2, SECOND);
    limit.take(1, 0, 100);
    limit.take(1, 0, 300);
    assertThat(limit.free(SECOND + 99)).isZero();
    assertThat(limit.free(SECOND + 100)).isEqualTo(1);
    assertThat(limit.free(SECOND + 299)).isEqualTo(1);
    assertThat(limit.free(SECOND + 300)).isEqualTo(2);
  }

  @Test
  void slidingWindow_oneTooMany_isSeen() {
    OracleLimit limit = sliding(2, SECOND);
    limit.take(1, 0, 100);
    limit.take(1, 0, 300);
    assertThatThrownBy(() -> limit.take(1, 0, SECOND + 99)).isInstanceOf(InvariantViolation.class);
  }

  @Test
  void slidingWindow_givenBackWhileItCounts_hasItBackOnce() {
    OracleLimit limit = sliding(2, SECOND);
    long cell = limit.take(1, 0, 100);
    limit.take(1, 0, 300);
    limit.give(cell, 1, 0, 400);
    assertThat(limit.free(400)).isEqualTo(1);
    limit.give(cell, 1, 0, SECOND + 100);
    assertThat(limit.free(SECOND + 100)).isEqualTo(1);
  }

  @Test
  void slidingWindow_anotherLength_countsWhatRunsFromThenOn() {
    OracleLimit limit = sliding(2, SECOND);
    limit.take(1, 0, 0);
    limit.take(1, 0, SECOND / 2);
    limit.resize(new LimitSpec.SlidingWindow(3, 2 * SECOND), SECOND);
    assertThat(limit.free(SECOND)).isEqualTo(2);
    assertThat(limit.free(3 * SECOND - 1)).isEqualTo(2);
    assertThat(limit.free(3 * SECOND)).isEqualTo(3);
  }

  @Test
  void slidingWindow_anotherCapacity_keepsItsInstants() {
    OracleLimit limit = sliding(1, SECOND);
    limit.take(1, 0, 7);
    limit.resize(new LimitSpec.SlidingWindow(3, SECOND), 8);
    assertThat(limit.free(8)).isEqualTo(2);
    assertThat(limit.free(SECOND + 7)).isEqualTo(3);
  }

  @Test
  void strict_early_comesSoMuchBeforeItsSlotAndNoSooner() {
    OracleLimit limit = strict(3, 1, 50 * MILLI);
    assertThat(limit.take(1, 0, 0)).isZero();
    assertThat(limit.free(333_333_334 - 50 * MILLI - 1)).isZero();
    assertThat(limit.free(333_333_334 - 50 * MILLI)).isEqualTo(1);
  }

  @Test
  void strict_allEarly_slotsStayWhereTheyAre() {
    OracleLimit limit = strict(3, 1, 50 * MILLI);
    limit.take(1, 0, 0);
    assertThat(limit.take(1, 0, 333_333_334 - 50 * MILLI)).isEqualTo(333_333_334);
    assertThat(limit.take(1, 0, 666_666_667 - 50 * MILLI)).isEqualTo(666_666_667);
    assertThat(limit.free(SECOND - 50 * MILLI - 1)).isZero();
    assertThat(limit.free(SECOND - 50 * MILLI)).isEqualTo(1);
  }

  @Test
  void strict_laterThanAnInterval_startsTheGridAnew() {
    OracleLimit limit = strict(10, 1, 0);
    limit.take(1, 0, 0);
    limit.take(1, 0, 200 * MILLI);
    assertThat(limit.take(1, 0, 301 * MILLI)).isEqualTo(301 * MILLI);
    assertThat(limit.free(401 * MILLI - 1)).isZero();
    assertThat(limit.free(401 * MILLI)).isEqualTo(1);
  }
}
