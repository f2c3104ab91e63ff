package io.penstock.mock;

import java.util.Arrays;

/**
 * Amounts added in the last {@code windowNanos}, exactly: an amount added at {@code t} counts
 * before {@code t + windowNanos} but not at that instant. Not thread-safe.
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

  /** Returns the remaining amount at {@code nowNanos}; 0 if more than the limit was added. */
  long remaining(long nowNanos) {
    return Math.max(0, limit - used(nowNanos));
  }

  /**
   * Adds {@code amount}, whether or not it fits. An instant before the newest one is replaced by
   * that one, because callers on several threads may get here in another order than they read the
   * clock.
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
    // the wrapped part moves behind the other part
    System.arraycopy(instants, 0, widerInstants, size, first);
    System.arraycopy(amounts, 0, widerAmounts, size, first);
    instants = widerInstants;
    amounts = widerAmounts;
  }

  /**
   * Returns the nanoseconds from now until {@code amount} fits if nothing else is added: 0 if it
   * fits now, -1 if it never does.
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

  /** Returns the nanoseconds from now until the window is empty if nothing else is added. */
  long untilEmptyNanos(long nowNanos) {
    return used(nowNanos) == 0 ? 0 : newest + windowNanos - nowNanos;
  }
}
