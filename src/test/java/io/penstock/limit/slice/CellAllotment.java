package io.penstock.limit.slice;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Room for grants in the cells of one round. An amount that is granted or kept in a cell counts in
 * every window the cell is in. Only windows that end in one of these cells, or in a later one that
 * is not empty, need to be looked at: no other window of the cell contains more.
 */
final class CellAllotment {
  /** Bound of sums; adding one more of this size is exact in a double. */
  private static final long FULL = 1L << 52;

  private final List<Long> cells;
  private final TreeMap<Long, Long> used = new TreeMap<>();
  private final long capacity;
  private final long span;

  /** Whether all windows are the same, as in a bucket. */
  private final boolean one;

  /** The most that may still be granted. */
  private long bound = Long.MAX_VALUE;

  private CellAllotment(List<Long> cells, long capacity, long span, boolean one) {
    this.cells = cells;
    this.capacity = capacity;
    this.span = span;
    this.one = one;
  }

  /** Creates the room of cells that count for {@code span} further cells. */
  static CellAllotment windows(
      List<Long> cells, SortedMap<Long, Long> totals, long capacity, long span) {
    CellAllotment made = new CellAllotment(cells, capacity, span, false);
    if (!cells.isEmpty()) {
      cells.forEach(end -> made.used.put(end, 0L));
      totals.tailMap(cells.getFirst()).keySet().forEach(end -> made.used.put(end, 0L));
      made.used.replaceAll((end, none) -> sum(totals.subMap(end - span, end + 1)));
    }
    return made;
  }

  /** Creates the room of a single window, or a bucket, from which {@code missing} is missing. */
  static CellAllotment one(List<Long> cells, long missing, long capacity) {
    CellAllotment made = new CellAllotment(cells, capacity, 0, true);
    cells.forEach(end -> made.used.put(end, missing));
    return made;
  }

  static long sum(SortedMap<Long, Long> window) {
    long sum = 0;
    for (long amount : window.values()) {
      sum = Math.min(FULL, sum + amount);
    }
    return sum;
  }

  List<Long> cells() {
    return cells;
  }

  private SortedMap<Long, Long> windowsOf(long cell) {
    return one ? used : used.subMap(cell, cell + span + 1);
  }

  long room(long cell) {
    return Math.max(0, Math.min(capacity - most(cell), bound));
  }

  /** Returns the amount in the fullest window that a cell is in. */
  long most(long cell) {
    long most = 0;
    for (long amount : windowsOf(cell).values()) {
      most = Math.max(most, amount);
    }
    return most;
  }

  /** Limits all that is granted and kept to {@code most}. Returns this object. */
  CellAllotment within(long most) {
    bound = most;
    return this;
  }

  void keep(long cell, long amount) {
    bound = bound == Long.MAX_VALUE ? bound : Math.max(0, bound - amount);
    windowsOf(cell).replaceAll((end, sum) -> Math.min(FULL, sum + amount));
  }

  /** Returns the first cell with room for the whole amount, or −1. */
  long first(long amount) {
    for (long cell : cells) {
      if (room(cell) >= amount) {
        return cell;
      }
    }
    return -1;
  }

  /** Keeps room for the whole amount in the first cell that has it. Returns whether one has. */
  boolean keepFirst(long amount) {
    long cell = first(amount);
    if (cell >= 0) {
      keep(cell, amount);
    }
    return cell >= 0;
  }
}
