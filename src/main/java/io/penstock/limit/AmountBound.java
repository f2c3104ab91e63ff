package io.penstock.limit;

import java.math.BigInteger;

/**
 * Upper bound of all amounts and instants, however much usage an answer claims: no sum overflows.
 */
final class AmountBound {
  static final long MOST = Long.MAX_VALUE / 4;

  private AmountBound() {}

  /** Returns a + b, at most {@link #MOST}. */
  static long sum(long a, long b) {
    return Math.min(MOST, Math.min(a, MOST) + Math.min(b, MOST));
  }

  /**
   * Returns floor((a × b + more) ÷ by), however large a × b ≥ 0 is, at most {@link Long#MAX_VALUE}.
   */
  static long quotient(long a, long b, long more, long by) {
    long sum = a * b + more;
    if (Math.multiplyHigh(a, b) == 0 && a * b >= 0 && sum >= 0) {
      return sum / by;
    }
    BigInteger product = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
    BigInteger exact = product.add(BigInteger.valueOf(more)).divide(BigInteger.valueOf(by));
    return exact.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
  }
}
