package io.penstock.prefix;

/**
 * How much of what a cache was expected to have was read from it, by the lowest of the last {@value
 * #ANSWERS} answers. So one answer that read less lowers what is expected at once, and as many good
 * ones have to follow until it counts no more. Safe from any thread.
 */
final class CacheTrust {
  /** Number of answers that count. */
  static final int ANSWERS = 8;

  private static final double CLEARLY = 0.1;

  private final double[] shares = new double[ANSWERS];
  private int known;
  private int next;

  /**
   * Adds what was read of what was expected, 0 to 1. Returns whether the lowest share is clearly
   * another one now.
   *
   * @param least as in {@link #lowest}
   */
  synchronized boolean add(double share, int least) {
    double before = lowest(least);
    shares[next] = share;
    next = (next + 1) % ANSWERS;
    known = Math.min(ANSWERS, known + 1);
    return Math.abs(lowest(least) - before) > CLEARLY;
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
