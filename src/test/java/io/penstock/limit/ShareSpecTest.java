package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Parts of buckets. */
class ShareSpecTest {
  /** The slowest rate that a part is rounded up to: one token in eight years. */
  private static final BigDecimal SLOWEST = BigDecimal.ONE.divide(BigDecimal.valueOf(1L << 28));

  private static final BigDecimal ROUNDING = BigDecimal.valueOf(1 + 1e-15);

  private static LimitSpec.TokenBucket bucket(long releases, long seconds, long burst) {
    return new LimitSpec.TokenBucket(new ExactRate(releases, seconds), burst);
  }

  private static BigDecimal rate(LimitSpec.TokenBucket of) {
    return divided(of.rate().releases(), of.rate().seconds());
  }

  private static BigDecimal divided(long one, long other) {
    return BigDecimal.valueOf(one).divide(BigDecimal.valueOf(other), MathContext.DECIMAL128);
  }

  @Test
  void part_hasThatPartOfBurstAndRate() {
    LimitSpec.TokenBucket whole = bucket(50, 3, 600);
    assertThat(ShareSpec.of(whole, 60)).isEqualTo(bucket(5, 3, 60));
    assertThat(ShareSpec.of(whole, 1)).isEqualTo(bucket(1, 36, 1));
    assertThat(ShareSpec.of(whole, 599)).isEqualTo(bucket(599, 36, 599));
  }

  @Test
  void all_isTheWholeBucket() {
    LimitSpec.TokenBucket whole = bucket(50, 3, 600);
    assertThat(ShareSpec.of(whole, 600)).isSameAs(whole);
    assertThat(ShareSpec.of(whole, 1_000)).isSameAs(whole);
  }

  @Test
  void randomParts_togetherNeverFasterThanTheWhole_andHardlySlower() {
    Random random = new Random(1);
    for (int each = 0; each < 10_000; each++) {
      long burst = 3 + random.nextLong(1L << random.nextInt(2, 40));
      LimitSpec.TokenBucket whole =
          bucket(
              1 + random.nextLong(1L << random.nextInt(1, 29)),
              1 + random.nextLong(1L << random.nextInt(1, 29)),
              burst);
      long one = 1 + random.nextLong(burst - 2);
      long other = 1 + random.nextLong(burst - one - 1 == 0 ? 1 : burst - one - 1);
      BigDecimal sum = BigDecimal.ZERO;
      for (long share : new long[] {one, other, burst - one - other}) {
        if (share > 0) {
          LimitSpec.TokenBucket part = ShareSpec.of(whole, share);
          BigDecimal exact = rate(whole).multiply(divided(share, burst)).multiply(ROUNDING);
          assertThat(part.burst()).isEqualTo(share);
          assertThat(rate(part)).isLessThanOrEqualTo(exact.max(SLOWEST));
          if (exact.doubleValue() > 0.01 && exact.doubleValue() < 100_000) {
            assertThat(rate(part)).isGreaterThan(exact.multiply(BigDecimal.valueOf(0.99)));
          }
          sum = sum.add(rate(part));
        }
      }
      assertThat(sum).isLessThanOrEqualTo(rate(whole).add(SLOWEST.multiply(BigDecimal.TEN)));
    }
  }
}
