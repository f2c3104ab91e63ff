package io.penstock.load;

import java.util.Arrays;

/** What repeated measurements say together. Nothing here assumes how they are distributed. */
final class Statistics {
  /** How sure a lower bound is. */
  static final double CONFIDENCE = 0.95;

  private Statistics() {}

  /** Returns the middle one, or the mean of the two in the middle; there is at least one. */
  static double median(double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values, expected at least one");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns the ratios of values that were measured one beside the other, so that what the machine
   * did at that time is in both and falls out.
   */
  static double[] ratios(double[] ours, double[] theirs) {
    if (ours.length != theirs.length) {
      throw new IllegalArgumentException(
          ours.length + " beside " + theirs.length + " values, expected pairs");
    }
    double[] ratios = new double[ours.length];
    for (int at = 0; at < ratios.length; at++) {
      ratios[at] = ours[at] / theirs[at];
    }
    return ratios;
  }

  /**
   * Returns what the true median is at least, with {@link #CONFIDENCE}; NaN where there are too few
   * values, fewer than five, to say so.
   *
   * <p>Of n independent values the k-th smallest is above the true median only if fewer than k are
   * below it, each of which is so with probability ½: P = Σ C(n, i) ÷ 2ⁿ over i &lt; k. This is the
   * largest k with P ≤ 1 − {@link #CONFIDENCE} (the bound of the sign test): the smallest value of
   * 5 to 7, the second of 8 to 10, the third of 11 and 12.
   */
  static double lowerBound(double[] values) {
    int rank = rank(values.length);
    if (rank == 0) {
      return Double.NaN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[rank - 1];
  }

  /** Returns what the true median is at most, with {@link #CONFIDENCE}; NaN as above. */
  static double upperBound(double[] values) {
    double[] below = values.clone();
    Arrays.setAll(below, at -> -values[at]);
    return -lowerBound(below);
  }

  /**
   * Returns how alike values are, which are none below 0: 1 if all are the same, 1 ÷ n if one has
   * everything. (Σ x)² ÷ (n × Σ x²): Jain, Chiu and Hawe, DEC TR-301, 1984.
   */
  static double jain(double[] values) {
    double sum = 0;
    double squares = 0;
    for (double value : values) {
      sum += value;
      squares += value * value;
    }
    return squares == 0 ? Double.NaN : sum * sum / (values.length * squares);
  }

  private static int rank(int values) {
    double term = Math.pow(0.5, values);
    double below = term;
    int rank = 0;
    while (rank < values && below <= 1 - CONFIDENCE) {
      rank++;
      term = term * (values - rank + 1) / rank;
      below += term;
    }
    return rank;
  }
}
