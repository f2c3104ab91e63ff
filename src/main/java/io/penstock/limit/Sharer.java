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

  /** What it may still spend of what it has, at the most. */
  long unspent;

  /** What it lacks in one cell, 0 when nothing. */
  long head;

  /** When it began to lack it: the lower, the earlier. */
  long turn;

  Sharer(Partition partition) {
    this.partition = partition;
  }

  boolean silent(long now, long ttl) {
    return now - heard > ttl;
  }

  /** Returns the last cell in which something of it counts. */
  long newest() {
    return counted.isEmpty() ? Shares.NONE : counted.lastKey();
  }
}
