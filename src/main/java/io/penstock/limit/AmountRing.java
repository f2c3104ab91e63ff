package io.penstock.limit;

import java.util.Arrays;

/**
 * Arrays of amounts by sub-cell of a window, within which charges need not be distinguished. Each
 * amount is at its index modulo the length: the newest index and as many before it as fit.
 */
final class AmountRing {
  /** Number of sub-cells of a window. */
  static final int SUB_CELLS = 60;

  private AmountRing() {}

  /** Returns the length of a sub-cell in the unit of the window's length, rounded up. */
  static long subCell(long window) {
    return Math.ceilDiv(window, SUB_CELLS);
  }

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

  /** Returns the first index from {@code first} on that is in the ring. */
  static long kept(long[] cells, long first, long newest) {
    return Math.max(first, newest - cells.length + 1);
  }

  /** Returns the sum of the amounts from index {@code first} on. */
  static long sum(long[] cells, long first, long newest) {
    long from = kept(cells, first, newest);
    int count = (int) Math.max(0, newest - from + 1);
    int at = Math.floorMod(from, cells.length);
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum = AmountBound.sum(sum, cells[at]);
      at = at + 1 == cells.length ? 0 : at + 1; // a modulo for each would be most of the cost
    }
    return sum;
  }

  /**
   * Returns the index with which the sum of the amounts from {@code first} on is at least {@code
   * amount} &gt; 0; {@link Long#MAX_VALUE} when the sum of all is less.
   */
  static long reaching(long amount, long[] cells, long first, long newest) {
    long left = amount;
    for (long index = kept(cells, first, newest); index <= newest; index++) {
      left -= cells[Math.floorMod(index, cells.length)];
      if (left <= 0) {
        return index;
      }
    }
    return Long.MAX_VALUE;
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
