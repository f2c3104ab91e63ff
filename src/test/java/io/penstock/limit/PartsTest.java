package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Midnight;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class PartsTest {
  private static final long WINDOW = 60_000_000_000L;

  @Test
  void unlimited_isUnlimitedForEach() {
    LimitSpec unlimited = new LimitSpec.Unlimited();
    assertThat(Parts.of(unlimited, 7)).isSameAs(unlimited);
  }

  @Test
  void rateOfOne_isLowerByAsManyAsThereAre() {
    LimitSpec strict = new LimitSpec.Strict(new Rate(10, 3), 5);
    assertThat(Parts.of(strict, 4)).isEqualTo(new LimitSpec.Strict(new Rate(10, 12), 5));
    LimitSpec bucket = new LimitSpec.TokenBucket(new Rate(10, 3), 11);
    assertThat(Parts.of(bucket, 4)).isEqualTo(new LimitSpec.TokenBucket(new Rate(10, 12), 2));
  }

  @Test
  void bucketSmallerThanTheMembersAreMany_holdsOneTokenForEach() {
    LimitSpec bucket = new LimitSpec.TokenBucket(new Rate(1, 1), 3);
    assertThat(Parts.of(bucket, 4)).isEqualTo(new LimitSpec.TokenBucket(new Rate(1, 4), 1));
  }

  @Test
  void rateTooSlowToBeSaid_letsNothingPass() {
    Rate slow = new Rate(1, 250_000_000);
    assertThat(Parts.of(new LimitSpec.Strict(slow), 4))
        .isEqualTo(new LimitSpec.Strict(new Rate(1, 1_000_000_000)));
    Rate slower = new Rate(1, 250_000_001);
    assertThat(Parts.of(new LimitSpec.Strict(slower), 4)).isNull();
    assertThat(Parts.of(new LimitSpec.TokenBucket(slower, 8), 4)).isNull();
  }

  @Test
  void capacityOfOne_isThePartRoundedDown() {
    assertThat(Parts.of(new LimitSpec.SlidingWindow(11, WINDOW), 4))
        .isEqualTo(new LimitSpec.SlidingWindow(2, WINDOW));
    assertThat(Parts.of(new LimitSpec.FixedWindow(11, WINDOW), 4))
        .isEqualTo(new LimitSpec.FixedWindow(2, WINDOW));
    assertThat(Parts.of(new LimitSpec.TrailingWindow(11, WINDOW, 3, 5), 4))
        .isEqualTo(new LimitSpec.TrailingWindow(2, WINDOW, 3, 5));
    assertThat(Parts.of(new LimitSpec.Concurrency(11), 4)).isEqualTo(new LimitSpec.Concurrency(2));
    Midnight midnight = new Midnight(ZoneOffset.UTC, () -> 0);
    assertThat(Parts.of(new LimitSpec.Day(11, midnight, 9), 4))
        .isEqualTo(new LimitSpec.Day(2, midnight, 9));
  }

  @Test
  void oneForEach_isTheLeastThatLetsAnythingPass() {
    assertThat(Parts.of(new LimitSpec.SlidingWindow(4, WINDOW), 4))
        .isEqualTo(new LimitSpec.SlidingWindow(1, WINDOW));
    assertThat(Parts.of(new LimitSpec.SlidingWindow(3, WINDOW), 4)).isNull();
    assertThat(Parts.of(new LimitSpec.FixedWindow(4, WINDOW), 4))
        .isEqualTo(new LimitSpec.FixedWindow(1, WINDOW));
    assertThat(Parts.of(new LimitSpec.FixedWindow(3, WINDOW), 4)).isNull();
    assertThat(Parts.of(new LimitSpec.TrailingWindow(4, WINDOW, 0, 1), 4))
        .isEqualTo(new LimitSpec.TrailingWindow(1, WINDOW, 0, 1));
    assertThat(Parts.of(new LimitSpec.TrailingWindow(3, WINDOW, 0, 1), 4)).isNull();
    assertThat(Parts.of(new LimitSpec.Concurrency(4), 4)).isEqualTo(new LimitSpec.Concurrency(1));
    assertThat(Parts.of(new LimitSpec.Concurrency(3), 4)).isNull();
    assertThat(Parts.of(new LimitSpec.Day(4, null, 0), 4)).isEqualTo(new LimitSpec.Day(1, null, 0));
    assertThat(Parts.of(new LimitSpec.Day(3, null, 0), 4)).isNull();
  }
}
