package io.penstock.limit;

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
}
