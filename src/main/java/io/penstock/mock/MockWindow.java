package io.penstock.mock;

import java.util.Arrays;

/**
 * What happened in the last {@code windowNanos}, exactly: an amount added at {@code t} counts
 * before {@code t + windowNanos} and no longer at it. Not thread-safe.
 */
final class MockWindow {
  private final long limit;
  private final long windowNanos;

  /** A ring of instants and amounts, oldest at {@code first}; its length is a power of two. */
  private long[] instants = new long[16];

  private long[] amounts = new long[16];
  private int first;
  private int size;
  private long sum;
  private long newest;

  MockWindow(long limit, long windowNanos) {
    this.limit = limit;
    this.windowNanos = windowNanos;
  }

  long limit() {
    return limit;
  }

  /** Returns the amount that counts at {@code nowNanos}. */
  long used(long nowNanos) {
    while (size > 0 && nowNanos - instants[first] >= windowNanos) {
      sum -= amounts[first];
      first = (first + 1) & (instants.length - 1);
      size--;
    }
    return sum;
  }

  /** Returns what is left at {@code nowNanos}; 0 also when more was added than the limit. */
  long remaining(long nowNanos) {
    return Math.max(0, limit - used(nowNanos));
  }

  boolean fits(long nowNanos, long amount) {
    return amount <= limit - used(nowNanos);
  }

  /**
   * Adds {@code amount}, whether it fits or not. An instant before the newest one counts as that
   * one: callers on several threads read the clock before they get here.
   */
  void add(long nowNanos, long amount) {
    if (amount == 0) {
      return;
    }
    long at = size == 0 ? nowNanos : Math.max(nowNanos, newest);
    sum += amount;
    if (size > 0 && at == newest) {
      amounts[(first + size - 1) & (instants.length - 1)] += amount;
      return;
    }
    if (size == instants.length) {
      grow();
    }
    int slot = (first + size) & (instants.length - 1);
    instants[slot] = at;
    amounts[slot] = amount;
    newest = at;
    size++;
  }

  private void grow() {
    long[] widerInstants = Arrays.copyOf(instants, 2 * size);
    long[] widerAmounts = Arrays.copyOf(amounts, 2 * size);
    // what had wrapped around goes behind what had not
    System.arraycopy(instants, 0, widerInstants, size, first);
    System.arraycopy(amounts, 0, widerAmounts, size, first);
    instants = widerInstants;
    amounts = widerAmounts;
  }

  /**
   * Returns the nanoseconds from now until {@code amount} fits if nothing else is added: 0 when it
   * fits now, -1 when it never does.
   */
  long untilFitsNanos(long nowNanos, long amount) {
    long left = used(nowNanos);
    if (amount > limit) {
      return -1;
    }
    long waitNanos = 0;
    for (int i = 0; amount > limit - left; i++) {
      int slot = (first + i) & (instants.length - 1);
      left -= amounts[slot];
      waitNanos = instants[slot] + windowNanos - nowNanos;
    }
    return waitNanos;
  }

  /** Returns the nanoseconds from now until nothing counts any more if nothing is added. */
  long untilEmptyNanos(long nowNanos) {
    return used(nowNanos) == 0 ? 0 : newest + windowNanos - nowNanos;
  }
}
