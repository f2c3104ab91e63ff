package io.penstock.limit.slice;

import io.penstock.limit.CellPartition;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The record of one of the members that share a limit. */
final class SliceMember {
  /** Amounts by cell that were spent, or may be. */
  final NavigableMap<Long, Long> counted = new TreeMap<>();

  CellPartition partition;
  long number;
  long lastReportAt;
  long wanted;

  /** The amount it lacks in one cell, 0 when it lacks none. */
  long lackedAtOnce;

  /** Order in which members began to lack something: the lower, the earlier. */
  long turn;

  /** Whether the member had another kind of the limit in its last round. */
  boolean hadOtherKind;

  SliceMember(CellPartition cellPartition) {
    this.partition = cellPartition;
  }

  boolean silent(long now, long ttl) {
    return now - lastReportAt > ttl;
  }

  /**
   * Returns {@link #newest}; for tokens that are out, the last cell in which their slice can be
   * spent.
   */
  long newest(long ttl) {
    return newest() == CellPartition.OUT ? (lastReportAt + ttl) / partition.cellMicros() : newest();
  }

  /** Returns the last cell in which something of the member counts. */
  long newest() {
    return counted.isEmpty() ? SliceLedger.NONE : counted.lastKey();
  }
}
