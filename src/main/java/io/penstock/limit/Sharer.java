package io.penstock.limit;

import java.util.NavigableMap;
import java.util.TreeMap;

/** The record of one of the members that share a limit. */
final class Sharer {
  /** Amounts by cell that were spent, or may be. */
  final NavigableMap<Long, Long> counted = new TreeMap<>();

  Partition partition;
  long number;
  long heard;
  long wanted;

  /** The amount it lacks in one cell, 0 when it lacks none. */
  long head;

  /** Order in which members began to lack something: the lower, the earlier. */
  long turn;

  /** Whether the member had another kind of the limit in its last round. */
  boolean elsewhere;

  Sharer(Partition partition) {
    this.partition = partition;
  }

  boolean silent(long now, long ttl) {
    return now - heard > ttl;
  }

  /**
   * Returns {@link #newest}; for tokens that are out, the last cell in which their slice can be
   * spent.
   */
  long newest(long ttl) {
    return newest() == Partition.OUT ? (heard + ttl) / partition.cellMicros() : newest();
  }

  /** Returns the last cell in which something of the member counts. */
  long newest() {
    return counted.isEmpty() ? Shares.NONE : counted.lastKey();
  }
}
