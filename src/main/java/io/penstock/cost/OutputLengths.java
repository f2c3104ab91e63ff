package io.penstock.cost;

import java.util.Arrays;

/**
 * Lengths of answers, in tokens, and the length that nine of ten of them do not exceed. A histogram
 * with eight bins an octave, in which an older half of the answers counts half; at most about 400
 * bytes. Safe from any thread.
 */
final class OutputLengths {
  /** Result while nothing is known. */
  static final long UNKNOWN = -1;

  /** Number of answers from which lengths count as known; fewer count in part. */
  static final int ENOUGH = 20;

  /** All counts are halved at this many answers, so that the last one or two thousand matter. */
  static final int MOST = 1_024;

  /** Longer answers count as this long. */
  static final long LONGEST = (1 << 20) - 1;

  private static final int BINS_AN_OCTAVE = 8;

  /** Lengths from here on are those of answers that were cut off, with an unknown length. */
  static final long CUT = from(bin(LONGEST));

  private static final double PART = 0.9;

  private int first;
  private short[] counts = new short[0];
  private int total;

  /** Adds an answer of that many tokens, ≥ 0. */
  synchronized void add(long tokens) {
    int bin = bin(Math.min(tokens, LONGEST));
    reach(bin);
    counts[bin - first]++;
    total++;
    if (total == MOST) {
      halve();
    }
  }

  /** Returns whether enough answers are counted that their lengths count as known. */
  boolean known() {
    return total() >= ENOUGH;
  }

  /** Returns how many answers are counted. */
  synchronized int total() {
    return total;
  }

  /**
   * Returns the tokens that an answer does not exceed nine times of ten; {@link #UNKNOWN} while no
   * answer is counted. The next answer does not exceed the k-th shortest of n with a probability of
   * k ÷ (n + 1). Lengths in a bin are taken to lie evenly, so answers that are all of nearly the
   * same length are expected to be up to an eighth longer.
   */
  synchronized long ninetieth() {
    if (total == 0) {
      return UNKNOWN;
    }
    double rank = Math.min(total, PART * (total + 1));
    long below = 0;
    int at = 0;
    while (below + counts[at] < rank) {
      below += counts[at];
      at++;
    }
    long from = from(first + at);
    double width = (double) (from(first + at + 1) - from);
    return from + (long) Math.ceil(width * ((rank - below) / counts[at])) - 1;
  }

  /** Makes room for a bin. Only the octaves with answers are stored. */
  private void reach(int bin) {
    if (counts.length == 0) {
      first = bin - bin % BINS_AN_OCTAVE;
    }
    int from = Math.min(first, bin - bin % BINS_AN_OCTAVE);
    int to = Math.max(first + counts.length, bin - bin % BINS_AN_OCTAVE + BINS_AN_OCTAVE);
    if (to - from > counts.length) {
      short[] wider = new short[to - from];
      System.arraycopy(counts, 0, wider, first - from, counts.length);
      counts = wider;
      first = from;
    }
  }

  /** Halves every count. The remainder goes to the next bin, so that ranks keep their place. */
  private void halve() {
    int over = 0;
    int sum = 0;
    for (int at = 0; at < counts.length; at++) {
      int count = counts[at] + over;
      over = count & 1;
      counts[at] = (short) (count >> 1);
      sum += count >> 1;
    }
    total = sum;
  }

  /**
   * Returns the bin of a length. Bins 0 to 15 are one token wide; from there on the width doubles
   * every eight bins.
   */
  private static int bin(long tokens) {
    if (tokens < BINS_AN_OCTAVE) {
      return (int) tokens;
    }
    int shift = Math.max(0, 60 - Long.numberOfLeadingZeros(tokens));
    return BINS_AN_OCTAVE * shift + (int) (tokens >> shift);
  }

  /** Returns the smallest number of tokens of a bin. */
  private static long from(int bin) {
    if (bin < 2 * BINS_AN_OCTAVE) {
      return bin;
    }
    int shift = bin / BINS_AN_OCTAVE - 1;
    return (long) (bin - BINS_AN_OCTAVE * shift) << shift;
  }

  @Override
  public synchronized String toString() {
    return "Outputs[from " + from(first) + ": " + Arrays.toString(counts) + "]";
  }
}
