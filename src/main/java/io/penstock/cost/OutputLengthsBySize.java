package io.penstock.cost;

import org.jspecify.annotations.Nullable;

/**
 * Lengths of answers to requests of each size. Sizes from one power of two to the next are alike.
 * Safe from any thread.
 */
final class OutputLengthsBySize {
  /** Inputs of 2^20 tokens and more are one size. */
  private static final int SIZES = 21;

  private final OutputLengths all = new OutputLengths();
  private final @Nullable OutputLengths[] bySize = new @Nullable OutputLengths[SIZES];

  /** Adds an answer of {@code outputTokens} to a request of {@code inputTokens}. */
  void add(long inputTokens, long outputTokens) {
    all.add(outputTokens);
    made(size(inputTokens)).add(outputTokens);
  }

  private synchronized OutputLengths made(int size) {
    OutputLengths known = bySize[size];
    if (known == null) {
      known = new OutputLengths();
      bySize[size] = known;
    }
    return known;
  }

  private synchronized @Nullable OutputLengths known(int size) {
    return bySize[size];
  }

  /**
   * Returns the tokens that the answer to a request of that size does not exceed nine times of ten.
   * If too few of that size are known, all sizes count; {@link OutputLengths#UNKNOWN} if those are
   * too few.
   */
  long ninetieth(long inputTokens) {
    OutputLengths alike = known(size(inputTokens));
    if (alike != null && alike.known()) {
      return alike.ninetieth();
    }
    return all.known() ? all.ninetieth() : OutputLengths.UNKNOWN;
  }

  /**
   * Returns {@code otherwise} as the first answers of any size correct it: each has a weight of 1 ÷
   * {@value OutputLengths#ENOUGH}. Answers that were cut off correct nothing.
   */
  long corrected(double otherwise) {
    long learned = all.ninetieth();
    boolean says = learned != OutputLengths.UNKNOWN && learned < OutputLengths.CUT;
    double part = says ? Math.min(1, (double) all.total() / OutputLengths.ENOUGH) : 0;
    return Math.round(part * learned + (1 - part) * otherwise);
  }

  private static int size(long inputTokens) {
    return Math.min(SIZES - 1, 63 - Long.numberOfLeadingZeros(Math.max(1, inputTokens)));
  }
}
