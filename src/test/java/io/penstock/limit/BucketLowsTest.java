package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BucketLowsTest {
  /** Number of stretches that are kept. */
  private static final int MOST = 64;

  /** Returns the lows after {@code times} takes, each just large enough to begin a stretch. */
  private static BucketLows takenOften(BucketLows bucketLows, int times, long from, long missing) {
    BucketLows next = bucketLows;
    long sum = missing;
    for (int take = 0; take < times; take++) {
      sum += sum / 32 + 1;
      next = next.taken(from + take, sum);
    }
    return next;
  }

  @Test
  void whatWasMissingFromTheStart_canBeGivenBackFromThenOnAndNotBefore() {
    BucketLows bucketLows = BucketLows.since(100, 10);
    assertThat(bucketLows.of(99)).isZero();
    assertThat(bucketLows.of(100)).isEqualTo(10);
    assertThat(bucketLows.of(1_000)).isEqualTo(10);
  }

  @Test
  void givenBackOfTheFirst_isLessForAllSince() {
    BucketLows bucketLows = BucketLows.since(100, 10).taken(200, 50).given(100, 4);
    assertThat(bucketLows.of(99)).isZero();
    assertThat(bucketLows.of(100)).isEqualTo(6);
    assertThat(bucketLows.of(200)).isEqualTo(46);
    assertThat(bucketLows.given(99, 1)).isSameAs(bucketLows);
    assertThat(bucketLows.given(200, 0)).isSameAs(bucketLows);
  }

  @Test
  void filledIn_isTheMostThatCanBeGivenBackOfWhatWasTakenBefore() {
    BucketLows bucketLows = BucketLows.since(0, 0).taken(1, 20).taken(2, 40).filled(30);
    assertThat(bucketLows.of(0)).isZero();
    assertThat(bucketLows.of(1)).isEqualTo(20);
    assertThat(bucketLows.of(2)).isEqualTo(30);
    assertThat(bucketLows.filled(5).of(1)).isEqualTo(5);
    assertThat(bucketLows.filled(5).of(2)).isEqualTo(5);
  }

  @Test
  void takeOfMoreThanA32nd_beginsAStretchAndALesserOneGoesOn() {
    BucketLows bucketLows = BucketLows.since(0, 64);
    assertThat(bucketLows.taken(5, 66)).isSameAs(bucketLows);
    assertThat(bucketLows.taken(5, 67).of(4)).isEqualTo(64);
    assertThat(bucketLows.taken(5, 67).of(5)).isEqualTo(67);
  }

  @Test
  void tooManyStretches_theTwoOldestSayTheLessOfBoth() {
    BucketLows all = takenOften(BucketLows.since(0, 10), MOST - 1, 1, 10);
    assertThat(all.of(0)).isEqualTo(10);
    assertThat(all.of(1)).isEqualTo(11);
    BucketLows more = all.taken(MOST, 100_000);
    assertThat(more.of(0)).isEqualTo(10);
    assertThat(more.of(1)).isEqualTo(10);
    assertThat(more.of(2)).isEqualTo(12);
    assertThat(more.of(MOST)).isEqualTo(100_000);
  }

  @Test
  void stretchesOfOneLow_areOneAndLeaveRoomForOthers() {
    BucketLows bucketLows = BucketLows.since(0, 5).taken(1, 10).taken(2, 20).filled(10);
    assertThat(bucketLows.of(2)).isEqualTo(10);
    assertThat(takenOften(bucketLows, MOST - 2, 3, 10).of(1)).isEqualTo(10);
    assertThat(takenOften(bucketLows, MOST - 1, 3, 10).of(1)).isEqualTo(5);
  }
}
