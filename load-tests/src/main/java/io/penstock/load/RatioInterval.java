package io.penstock.load;

import java.util.Arrays;

/**
 * An estimate of the ratio of two things that were measured in pairs, and the interval in which the
 * true ratio lies with a probability of at least 95 %.
 *
 * <p>The estimate is the Hodges–Lehmann estimate of the logarithms of the pairs' ratios: the median
 * of the means of any two of them, each with itself too. The interval is the one that Tukey derived
 * from Wilcoxon's signed-rank test: from the c-th smallest to the c-th largest of these means, with
 * the largest c for which a signed-rank sum below c has a probability of at most 2.5 %. Both are
 * described in Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 3rd edition,
 * 2014, sections 3.2 and 3.3. The method assumes that the logarithms are independent and
 * distributed symmetrically about the true one; it does not assume a normal distribution, so one
 * pair that the machine disturbed does little. It needs six pairs; with seven the interval covers
 * the true ratio with 95.3 %.
 *
 * @param estimate of the true ratio
 * @param low end of the interval; NaN where there are too few pairs for one
 * @param high end of the interval; NaN where there are too few pairs for one
 */
record RatioInterval(double estimate, double low, double high) {
  private static final double ONE_SIDE = 0.025;

  /** Returns the interval of the ratio of values to others that were measured beside them. */
  static RatioInterval of(double[] values, double[] others) {
    double[] logarithms = Statistics.ratios(values, others);
    for (int at = 0; at < logarithms.length; at++) {
      if (!(logarithms[at] > 0) || Double.isInfinite(logarithms[at])) {
        throw new IllegalArgumentException(
            values[at] + " beside " + others[at] + ", expected two numbers above 0");
      }
      logarithms[at] = Math.log(logarithms[at]);
    }
    double[] means = means(logarithms);
    double estimate = Math.exp(Statistics.median(means));
    int rank = rank(logarithms.length);
    if (rank == 0) {
      return new RatioInterval(estimate, Double.NaN, Double.NaN);
    }
    return new RatioInterval(
        estimate, Math.exp(means[rank - 1]), Math.exp(means[means.length - rank]));
  }

  /** Returns how far the farther end is from 1, as a factor of at least 1. */
  double factor() {
    return Math.exp(Math.max(Math.abs(Math.log(low)), Math.abs(Math.log(high))));
  }

  /** Returns whether all of the interval is farther from 1 than any of the noise. */
  boolean outside(RatioInterval noise) {
    return low > noise.factor() || high < 1 / noise.factor();
  }

  /** Returns whether the interval has ends. */
  boolean bounded() {
    return !Double.isNaN(low);
  }

  private static double[] means(double[] values) {
    double[] means = new double[values.length * (values.length + 1) / 2];
    int next = 0;
    for (int first = 0; first < values.length; first++) {
      for (int second = first; second < values.length; second++) {
        means[next++] = (values[first] + values[second]) / 2;
      }
    }
    Arrays.sort(means);
    return means;
  }

  /** Returns the largest c with P(signed-rank sum &lt; c) at most 2.5 %; 0 where there is none. */
  static int rank(int pairs) {
    double[] ways = new double[pairs * (pairs + 1) / 2 + 1];
    ways[0] = 1;
    for (int each = 1; each <= pairs; each++) {
      for (int sum = ways.length - 1; sum >= each; sum--) {
        ways[sum] += ways[sum - each];
      }
    }
    double most = ONE_SIDE * Math.pow(2, pairs);
    double below = 0;
    int rank = 0;
    while (rank < ways.length && below + ways[rank] <= most) {
      below += ways[rank];
      rank++;
    }
    return rank;
  }
}
