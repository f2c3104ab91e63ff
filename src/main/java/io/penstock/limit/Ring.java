package io.penstock.limit;

import java.util.Arrays;

/** Amounts by index modulo the length: the newest index and those before it, as many as fit. */
final class Ring {
  private Ring() {}

  /** The amounts once {@code last} is the newest index: those that come new are zero. */
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

  /** The sum of the amounts from index {@code first} on, which the ring still holds. */
  static long sum(long[] cells, long first, long newest) {
    int count = (int) Math.max(0, newest - first + 1);
    int at = Math.floorMod(first, cells.length);
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum = State.sum(sum, cells[at]);
      at = at + 1 == cells.length ? 0 : at + 1; // a division for each would be most of it
    }
    return sum;
  }

  /** The amounts in a ring of another length, each at its own index still. */
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
