package io.penstock.cost;

import org.jspecify.annotations.Nullable;

/**
 * How long answers were to requests of each size: sizes from one power of two to the next are
 * alike. Safe from any thread.
 */
final class OutputsBySize {
  /** Inputs of 2^20 tokens and more are one size. */
  private static final int SIZES = 21;

  private final Outputs all = new Outputs();
  private final @Nullable Outputs[] bySize = new @Nullable Outputs[SIZES];

  /** Takes note of an answer of {@code outputTokens} to a request of {@code inputTokens}. */
  void add(long inputTokens, long outputTokens) {
    all.add(outputTokens);
    made(size(inputTokens)).add(outputTokens);
  }

  private synchronized Outputs made(int size) {
    Outputs known = bySize[size];
    if (known == null) {
      known = new Outputs();
      bySize[size] = known;
    }
    return known;
  }

  private synchronized @Nullable Outputs known(int size) {
    return bySize[size];
  }

  /**
   * Returns the tokens that the answer to a request of that size stays within nine times of ten;
   * while too few of the size are known, those to a request of any; or {@link Outputs#UNKNOWN}.
   */
  long ninetieth(long inputTokens) {
    Outputs alike = known(size(inputTokens));
    long known = alike == null ? Outputs.UNKNOWN : alike.ninetieth();
    return known == Outputs.UNKNOWN ? all.ninetieth() : known;
  }

  private static int size(long inputTokens) {
    return Math.min(SIZES - 1, 63 - Long.numberOfLeadingZeros(Math.max(1, inputTokens)));
  }
}
