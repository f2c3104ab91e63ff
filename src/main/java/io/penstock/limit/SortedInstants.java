package io.penstock.limit;

import java.util.Arrays;

/**
 * Sorted list of instants, oldest first, which may contain an instant several times. Immutable:
 * adding one copies the newest chunk and the list of chunks, at most 800 bytes for 4,096 instants.
 *
 * @param chunks all are full except for the newest
 * @param first the number of entries in the oldest chunk that are forgotten
 */
@SuppressWarnings("ArrayRecordComponent") // arrays are never changed: it is enough to compare which
record SortedInstants(long[][] chunks, int first, int size) {
  static final SortedInstants NONE = new SortedInstants(new long[0][], 0, 0);

  private static final int CHUNK = 64;

  /** Returns the instant at a place, 0 for the oldest. */
  long get(int place) {
    return cell(first + place);
  }

  private long cell(int cell) {
    return chunks[cell / CHUNK][cell % CHUNK];
  }

  /** Returns the newest instant, or {@code other} when there is none. */
  long newestOr(long other) {
    return size == 0 ? other : get(size - 1);
  }

  /** Returns how many instants are at or before {@code instant}. */
  int upTo(long instant) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (get(middle) <= instant) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns a list without the oldest {@code forgotten}, and with {@code count} times an instant
   * that is no older than any of them.
   */
  SortedInstants plus(long instant, int count, int forgotten) {
    int forgottenChunks = (first + forgotten) / CHUNK;
    int begin = (first + forgotten) % CHUNK;
    int kept = size - forgotten;
    int end = begin + kept + count;
    long[][] next =
        Arrays.copyOfRange(chunks, forgottenChunks, forgottenChunks + Math.ceilDiv(end, CHUNK));
    int cell = begin + kept;
    while (cell < end) {
      int chunk = cell / CHUNK;
      int from = cell % CHUNK;
      int to = Math.min(CHUNK, end - chunk * CHUNK);
      next[chunk] = from == 0 ? new long[to] : Arrays.copyOf(next[chunk], to);
      Arrays.fill(next[chunk], from, to, instant);
      cell = chunk * CHUNK + to;
    }
    return new SortedInstants(next, begin, kept + count);
  }

  /**
   * Returns a list with {@code instant} removed {@code count} times, or entirely if it occurs less
   * often.
   */
  SortedInstants minus(long instant, long count) {
    int after = upTo(instant);
    int removed = (int) Math.min(count, after - upTo(instant - 1));
    int from = first + after - removed;
    int end = first + size - removed;
    long[][] next = Arrays.copyOf(chunks, Math.ceilDiv(end, CHUNK));
    for (int chunk = from / CHUNK; chunk < next.length; chunk++) {
      long[] cells = new long[Math.min(CHUNK, end - chunk * CHUNK)];
      for (int at = 0; at < cells.length; at++) {
        int cell = chunk * CHUNK + at;
        cells[at] = cell(cell < from ? cell : cell + removed);
      }
      next[chunk] = cells;
    }
    return new SortedInstants(next, first, size - removed);
  }
}
