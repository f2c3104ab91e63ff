package io.penstock.cli;

import java.util.Arrays;

/** Waiting times of tickets: exact count and sum, and percentiles of the last 1,000. */
final class WaitStatistics {
  private static final int MOST = 1_000;

  private long[] recent = new long[8];
  private long[] sorted = {};
  private long count;
  private long sum;
  private long last;

  void add(long millis) {
    if (count >= recent.length && recent.length < MOST) {
      recent = Arrays.copyOf(recent, Math.min(MOST, recent.length * 2));
    }
    recent[(int) (count % recent.length)] = millis;
    count++;
    sum += millis;
    last = millis;
    sorted = new long[0];
  }

  long count() {
    return count;
  }

  long sum() {
    return sum;
  }

  long last() {
    return last;
  }

  /**
   * Returns the waiting time that the fraction {@code part} of the tickets did not exceed; 0 if
   * there are none.
   */
  long percentile(double part) {
    if (count == 0) {
      return 0;
    }
    if (sorted.length == 0) {
      sorted = Arrays.copyOf(recent, (int) Math.min(count, recent.length));
      Arrays.sort(sorted);
    }
    return sorted[(int) Math.ceil(part * sorted.length) - 1];
  }
}
