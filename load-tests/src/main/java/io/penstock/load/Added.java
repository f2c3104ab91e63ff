package io.penstock.load;

import java.util.Arrays;

/**
 * What two gateways add to the time that something takes without them, in rounds in which all three
 * were measured one beside the other.
 *
 * @param ours the median of what Penstock adds, in the unit of the values
 * @param theirs the median of what the other adds
 * @param ratio the median of the rounds' ratios; a round in which the other added nothing counts as
 *     one in which Penstock added infinitely more
 * @param atMost what the true median ratio is at most, with {@link Statistics#CONFIDENCE}
 */
record Added(double ours, double theirs, double ratio, double atMost) {
  static Added of(double[] direct, double[] ours, double[] theirs) {
    double[] weAdd = less(ours, direct);
    double[] theyAdd = less(theirs, direct);
    double[] ratios = new double[weAdd.length];
    for (int at = 0; at < ratios.length; at++) {
      ratios[at] = theyAdd[at] > 0 ? weAdd[at] / theyAdd[at] : Double.POSITIVE_INFINITY;
    }
    return new Added(
        Statistics.median(weAdd),
        Statistics.median(theyAdd),
        Statistics.median(ratios),
        Statistics.upperBound(ratios));
  }

  private static double[] less(double[] values, double[] without) {
    if (values.length != without.length) {
      throw new IllegalArgumentException(
          values.length + " beside " + without.length + " values, expected pairs");
    }
    double[] less = values.clone();
    Arrays.setAll(less, at -> values[at] - without[at]);
    return less;
  }

  /** Returns both medians, given in microseconds, and the ratio. */
  String inMillis() {
    return "%.2f (at most %.2f): %.3f ÷ %.3f ms".formatted(ratio, atMost, ours / 1e3, theirs / 1e3);
  }
}
