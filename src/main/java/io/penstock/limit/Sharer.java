package io.penstock.limit;

import java.util.NavigableMap;
import java.util.TreeMap;

/** What is known of one of the members that share a limit. */
final class Sharer {
  /** By cell. */
  final NavigableMap<Long, Long> counted = new TreeMap<>();

  Partition partition;
  long number;
  long heard;
  long wanted;

  /** What it lacks in one cell, 0 when nothing. */
  long head;

  /** When it began to lack it: the lower, the earlier. */
  long turn;

  /** It had another kind of the limit when it was heard last. */
  boolean elsewhere;

  Sharer(Partition partition) {
    this.partition = partition;
  }

  boolean silent(long now, long ttl) {
    return now - heard > ttl;
  }

  /** Returns {@link #newest}; tokens that are out are spent while a slice lasts, if at all. */
  long newest(long ttl) {
    return newest() == Partition.OUT ? (heard + ttl) / partition.cellMicros() : newest();
  }

  /** Returns the last cell in which something of it counts. */
  long newest() {
    return counted.isEmpty() ? Shares.NONE : counted.lastKey();
  }
}
