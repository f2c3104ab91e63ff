package io.penstock.cost;

/**
 * Ratio of the tokens that a provider counts to the tokens estimated for the texts of one key: none
 * while nothing is known. Safe from any thread.
 */
final class TextRatio {
  /**
   * Usage that differs from the estimate by more than this factor is not due to text, and is
   * ignored.
   */
  static final double MOST = 8;

  /** A longer text counts as one of this length. */
  private static final double LONGEST = 32_768;

  /** The weight of the initial ratio: that of a text of so many tokens. */
  private static final double BEGINNING = 256;

  /** The factor by which each text reduces the earlier ones, so that about the last 250 count. */
  private static final double DECAY = 1 - 1.0 / 256;

  private double estimated;
  private double used;
  private volatile double ratio = Double.NaN;

  /**
   * Adds a text: its tokens as estimated, and as the provider counted them.
   *
   * @param initial the ratio from which the first text starts
   */
  synchronized void add(long estimatedTokens, long usedTokens, double initial) {
    if (estimatedTokens <= 0
        || usedTokens > MOST * (double) estimatedTokens
        || MOST * (double) usedTokens < (double) estimatedTokens) {
      return;
    }
    if (!isKnown()) {
      estimated = BEGINNING;
      used = BEGINNING * initial;
    }
    double part = Math.min(1, LONGEST / (double) estimatedTokens);
    estimated = estimated * DECAY + (double) estimatedTokens * part;
    used = used * DECAY + (double) usedTokens * part;
    ratio = used / estimated;
  }

  /** Returns whether any text was added. */
  boolean isKnown() {
    return !Double.isNaN(ratio);
  }

  /** Returns tokens used ÷ tokens estimated; NaN while nothing is known. */
  double ratio() {
    return ratio;
  }
}
