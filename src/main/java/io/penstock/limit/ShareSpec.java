package io.penstock.limit;

import java.math.BigInteger;

/** The part of a bucket that an instance has as its share: of the burst, and of the rate. */
final class ShareSpec {
  private static final int RATE_BITS = 29;

  private ShareSpec() {}

  /** Returns a bucket with a burst of {@code share} ≥ 1, and the same part of the rate. */
  static LimitSpec.TokenBucket of(LimitSpec.TokenBucket whole, long share) {
    return share >= whole.burst()
        ? whole
        : new LimitSpec.TokenBucket(rate(whole.rate(), share, whole.burst()), share);
  }

  /** Returns a rate × part ÷ whole, rounded down to what a rate can be. */
  private static ExactRate rate(ExactRate rate, long part, long whole) {
    BigInteger releases = BigInteger.valueOf(rate.releases()).multiply(BigInteger.valueOf(part));
    BigInteger seconds = BigInteger.valueOf(rate.seconds()).multiply(BigInteger.valueOf(whole));
    BigInteger common = releases.gcd(seconds);
    releases = releases.divide(common);
    seconds = seconds.divide(common);
    int longer = Math.max(releases.bitLength(), seconds.bitLength()) - RATE_BITS;
    if (longer > 0) {
      releases = releases.shiftRight(longer).max(BigInteger.ONE);
      seconds = seconds.shiftRight(longer).add(BigInteger.ONE);
    }
    return new ExactRate(releases.longValueExact(), seconds.longValueExact());
  }
}
