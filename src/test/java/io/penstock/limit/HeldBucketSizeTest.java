package io.penstock.limit;

import static io.penstock.limit.LimitContract.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a bucket of 100 that fills with ten tokens a second, and is held to a share. */
class HeldBucketSizeTest {
  private final Limit limit = new Limit(bucket(100), 0);

  HeldBucketSizeTest() {
    HeldShares.none(limit, () -> {}, 0);
  }

  private static LimitSpec bucket(long burst) {
    return new LimitSpec.TokenBucket(new ExactRate(burst, 10), burst);
  }

  @ParameterizedTest
  @ValueSource(longs = {50, 200})
  void resized_keepsTheTokensThatItHas(long burst) {
    HeldShares.give(limit, 20, 0);
    long now = 5 * SECOND;
    assertThat(limit.room(now)).as("a fifth of the rate").isEqualTo(10);
    limit.resize(bucket(burst), now);
    assertThat(limit.capacity(now)).isEqualTo(burst);
    assertThat(limit.room(now)).isEqualTo(10);
    assertThat(limit.room(now + SECOND)).isEqualTo(12);
  }

  @Test
  void resizedToLessThanItsShare_hasNoMoreThanAllOfIt() {
    HeldShares.give(limit, 80, 0);
    limit.resize(bucket(50), 10 * SECOND);
    limit.charge(30, 0, 10 * SECOND);
    assertThat(limit.room(10 * SECOND)).isEqualTo(20);
  }

  @Test
  void withoutShare_owesWhatRanOverAlone() {
    assertThat(limit.balance(0)).isEqualTo(LimitBalance.ZERO);
    limit.charge(60, 0, 0);
    assertThat(limit.balance(0)).isEqualTo(new LimitBalance(0, 60, 0));
    limit.resize(bucket(50), 0);
    assertThat(limit.balance(0)).isEqualTo(new LimitBalance(0, 60, 0));
  }
}
