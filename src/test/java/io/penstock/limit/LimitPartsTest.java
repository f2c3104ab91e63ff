package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class LimitPartsTest {
  private static final long WINDOW = 60_000_000_000L;

  @Test
  void unlimited_isUnlimitedForEach() {
    LimitSpec unlimited = new LimitSpec.Unlimited();
    assertThat(LimitParts.of(unlimited, 7)).isSameAs(unlimited);
  }

  @Test
  void rateOfOne_isLowerByAsManyAsThereAre() {
    LimitSpec strict = new LimitSpec.Strict(new ExactRate(10, 3), 5);
    assertThat(LimitParts.of(strict, 4)).isEqualTo(new LimitSpec.Strict(new ExactRate(10, 12), 5));
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(10, 3), 11);
    assertThat(LimitParts.of(bucket, 4))
        .isEqualTo(new LimitSpec.TokenBucket(new ExactRate(10, 12), 2));
  }

  @Test
  void bucketSmallerThanTheMembersAreMany_holdsOneTokenForEach() {
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(1, 1), 3);
    assertThat(LimitParts.of(bucket, 4))
        .isEqualTo(new LimitSpec.TokenBucket(new ExactRate(1, 4), 1));
  }

  @Test
  void rateTooSlowToBeSaid_letsNothingPass() {
    ExactRate slow = new ExactRate(1, 250_000_000);
    assertThat(LimitParts.of(new LimitSpec.Strict(slow, 0), 4))
        .isEqualTo(new LimitSpec.Strict(new ExactRate(1, 1_000_000_000), 0));
    ExactRate slower = new ExactRate(1, 250_000_001);
    assertThat(LimitParts.of(new LimitSpec.Strict(slower, 0), 4)).isNull();
    assertThat(LimitParts.of(new LimitSpec.TokenBucket(slower, 8), 4)).isNull();
  }

  @Test
  void capacityOfOne_isThePartRoundedDown() {
    assertThat(LimitParts.of(new LimitSpec.SlidingWindow(11, WINDOW), 4))
        .isEqualTo(new LimitSpec.SlidingWindow(2, WINDOW));
    assertThat(LimitParts.of(new LimitSpec.FixedWindow(11, WINDOW), 4))
        .isEqualTo(new LimitSpec.FixedWindow(2, WINDOW));
    assertThat(LimitParts.of(new LimitSpec.TrailingWindow(11, WINDOW, 3, 5), 4))
        .isEqualTo(new LimitSpec.TrailingWindow(2, WINDOW, 3, 5));
    assertThat(LimitParts.of(new LimitSpec.Concurrency(11), 4))
        .isEqualTo(new LimitSpec.Concurrency(2));
    ZoneMidnights zoneMidnights = new ZoneMidnights(ZoneOffset.UTC, () -> 0);
    assertThat(LimitParts.of(new LimitSpec.Day(11, zoneMidnights, 9), 4))
        .isEqualTo(new LimitSpec.Day(2, zoneMidnights, 9));
  }

  @Test
  void oneForEach_isTheLeastThatLetsAnythingPass() {
    assertThat(LimitParts.of(new LimitSpec.SlidingWindow(4, WINDOW), 4))
        .isEqualTo(new LimitSpec.SlidingWindow(1, WINDOW));
    assertThat(LimitParts.of(new LimitSpec.SlidingWindow(3, WINDOW), 4)).isNull();
    assertThat(LimitParts.of(new LimitSpec.FixedWindow(4, WINDOW), 4))
        .isEqualTo(new LimitSpec.FixedWindow(1, WINDOW));
    assertThat(LimitParts.of(new LimitSpec.FixedWindow(3, WINDOW), 4)).isNull();
    assertThat(LimitParts.of(new LimitSpec.TrailingWindow(4, WINDOW, 0, 1), 4))
        .isEqualTo(new LimitSpec.TrailingWindow(1, WINDOW, 0, 1));
    assertThat(LimitParts.of(new LimitSpec.TrailingWindow(3, WINDOW, 0, 1), 4)).isNull();
    assertThat(LimitParts.of(new LimitSpec.Concurrency(4), 4))
        .isEqualTo(new LimitSpec.Concurrency(1));
    assertThat(LimitParts.of(new LimitSpec.Concurrency(3), 4)).isNull();
    assertThat(LimitParts.of(new LimitSpec.Day(4, null, 0), 4))
        .isEqualTo(new LimitSpec.Day(1, null, 0));
    assertThat(LimitParts.of(new LimitSpec.Day(3, null, 0), 4)).isNull();
  }
}
