package io.penstock.cost;

/**
 * Ratio of the tokens that a model's provider counts to the tokens estimated for a text: 1 until
 * more is known. Safe from any thread.
 */
final class TextRatio {
  /**
   * Usage that differs from the estimate by more than this factor is not due to text, and is
   * ignored.
   */
  static final double MOST = 8;

  /** A longer text counts as one of this length. */
  private static final double LONGEST = 32_768;

  /** The weight of the initial ratio: that of a text of so many tokens, all estimated correctly. */
  private static final double BEGINNING = 256;

  /** The factor by which each text reduces the earlier ones, so that about the last 250 count. */
  private static final double DECAY = 1 - 1.0 / 256;

  private double estimated = BEGINNING;
  private double used = BEGINNING;
  private volatile double ratio = 1;

  /** Adds a text: its tokens as estimated, and as the provider counted them. */
  synchronized void add(long estimatedTokens, long usedTokens) {
    if (estimatedTokens <= 0
        || usedTokens > MOST * (double) estimatedTokens
        || MOST * (double) usedTokens < (double) estimatedTokens) {
      return;
    }
    double part = Math.min(1, LONGEST / (double) estimatedTokens);
    estimated = estimated * DECAY + (double) estimatedTokens * part;
    used = used * DECAY + (double) usedTokens * part;
    ratio = used / estimated;
  }

  /** Returns the expected tokens for an estimate, which grow with it. */
  long of(long estimatedTokens) {
    return Math.round((double) estimatedTokens * ratio);
  }

  /** Returns tokens used ÷ tokens estimated. */
  double ratio() {
    return ratio;
  }
}
