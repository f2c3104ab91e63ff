package io.penstock.limit;

import java.util.Arrays;

/**
 * Arrays of amounts, each at its index modulo the length: the newest index and as many before it as
 * fit.
 */
final class AmountRing {
  private AmountRing() {}

  /** Returns the amounts with {@code last} as the newest index. Indexes that are new have zero. */
  static long[] rolled(long[] cells, long newest, long last) {
    long[] next = cells.clone();
    if (last - newest >= next.length) {
      Arrays.fill(next, 0);
      return next;
    }
    for (long index = newest + 1; index <= last; index++) {
      next[Math.floorMod(index, next.length)] = 0;
    }
    return next;
  }

  /**
   * Returns the sum of the amounts from index {@code first} on, which must still be in the ring.
   */
  static long sum(long[] cells, long first, long newest) {
    int count = (int) Math.max(0, newest - first + 1);
    int at = Math.floorMod(first, cells.length);
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum = AmountBound.sum(sum, cells[at]);
      at = at + 1 == cells.length ? 0 : at + 1; // a modulo for each would be most of the cost
    }
    return sum;
  }

  /** Returns the amounts in a ring of another length, each still at its own index. */
  static long[] resized(long[] cells, long newest, int length) {
    if (length == cells.length) {
      return cells;
    }
    long[] next = new long[length];
    for (long index = newest - Math.min(length, cells.length) + 1; index <= newest; index++) {
      next[Math.floorMod(index, length)] = cells[Math.floorMod(index, cells.length)];
    }
    return next;
  }
}
