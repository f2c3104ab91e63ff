package io.penstock.cost;

/**
 * How many tokens a model's provider counts for each token that was estimated of a text: 1 until it
 * is known better. Safe from any thread.
 */
final class TextRatio {
  /** Usage that differs from the estimate by more than this factor is no matter of text. */
  static final double MOST = 8;

  /** A text longer than this teaches as one of this length. */
  private static final double LONGEST = 32_768;

  /** What the beginning counts for: a text of so many tokens that is as was estimated. */
  private static final double BEGINNING = 256;

  /** Each text has the earlier ones count that much less, so that about the last 250 tell. */
  private static final double DECAY = 1 - 1.0 / 256;

  private double estimated = BEGINNING;
  private double used = BEGINNING;
  private volatile double ratio = 1;

  /** Takes note of a text: as it was estimated, and as the provider counted it. */
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

  /** Returns what an estimate comes to, in tokens: the more the more was estimated. */
  long of(long estimatedTokens) {
    return Math.round((double) estimatedTokens * ratio);
  }

  /** Returns tokens used ÷ tokens estimated. */
  double ratio() {
    return ratio;
  }
}
