package io.penstock.limit;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * An exact rate: {@code releases} every {@code seconds} seconds, in lowest terms.
 *
 * @param releases 1 to 10^9
 * @param seconds 1 to 10^9
 */
public record ExactRate(long releases, long seconds) {
  private static final long MAX = 1_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  public ExactRate {
    if (releases < 1 || releases > MAX || seconds < 1 || seconds > MAX) {
      throw new IllegalArgumentException(
          "rate is " + releases + " every " + seconds + " s, expected both 1 to " + MAX);
    }
  }

  /**
   * Returns the rate of {@code amount} releases every {@code unitSeconds} seconds.
   *
   * @throws IllegalArgumentException when the amount is not above 0, or needs a fraction finer than
   *     a billionth
   */
  public static ExactRate of(BigDecimal amount, long unitSeconds) {
    if (amount.signum() <= 0) {
      throw new IllegalArgumentException("rate is " + amount + ", expected more than 0");
    }
    if (amount.precision() > 40 || Math.abs(amount.scale()) > 18) {
      throw new IllegalArgumentException("rate is " + amount + ", expected at most 9 decimals");
    }
    BigDecimal plain = amount.stripTrailingZeros();
    int scale = Math.max(0, plain.scale());
    BigInteger numerator = plain.setScale(scale).unscaledValue();
    BigInteger denominator = BigInteger.TEN.pow(scale).multiply(BigInteger.valueOf(unitSeconds));
    BigInteger gcd = numerator.gcd(denominator);
    BigInteger releases = numerator.divide(gcd);
    BigInteger seconds = denominator.divide(gcd);
    if (releases.bitLength() > 30 || seconds.bitLength() > 30) {
      throw new IllegalArgumentException(
          "rate is " + amount + ", expected a fraction of numbers up to " + MAX);
    }
    return new ExactRate(releases.longValue(), seconds.longValue());
  }

  /** Returns the nanoseconds from slot 0 to slot {@code k}, rounded up; k is 0 to releases. */
  long slotNanos(long k) {
    long period = seconds * SECOND;
    long whole = period / releases;
    long rest = period % releases;
    return k * whole + Math.ceilDiv(k * rest, releases);
  }

  /** Returns the nanoseconds between two slots, rounded up. */
  public long intervalNanos() {
    return slotNanos(1);
  }
}
