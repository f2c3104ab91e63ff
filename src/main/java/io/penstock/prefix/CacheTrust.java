package io.penstock.prefix;

/**
 * How much of what a cache was expected to have was read from it, by the lowest of the last {@value
 * #ANSWERS} answers. So one answer that read less lowers what is expected at once, and as many good
 * ones have to follow until it counts no more. Safe from any thread.
 */
final class CacheTrust {
  /** Number of answers that count. */
  static final int ANSWERS = 8;

  private final double[] shares = new double[ANSWERS];
  private int known;
  private int next;

  /** Adds what was read of what was expected, 0 to 1. */
  synchronized void add(double share) {
    shares[next] = share;
    next = (next + 1) % ANSWERS;
    known = Math.min(ANSWERS, known + 1);
  }

  /**
   * Returns the lowest share, 0 to 1.
   *
   * @param least with fewer answers than this the result is 0
   */
  synchronized double lowest(int least) {
    if (known == 0 || known < least) {
      return 0;
    }
    double lowest = 1;
    for (int i = 0; i < known; i++) {
      lowest = Math.min(lowest, shares[i]);
    }
    return lowest;
  }
}
