package io.penstock.limit;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What may be granted in the cells of one round. What is granted, or kept for somebody, in a cell
 * counts in every window the cell is in. Only windows that end in one of these cells, or in a later
 * one that something is in, need be looked at: no other window of the cell holds more.
 */
final class Allotment {
  /** As much as sums are told apart; adding one more of these is exact in a double. */
  private static final long FULL = 1L << 52;

  private final List<Long> cells;
  private final TreeMap<Long, Long> used = new TreeMap<>();
  private final long capacity;
  private final long span;

  /** All windows are one, as in a bucket. */
  private final boolean one;

  /** The most that may be granted besides. */
  private long bound = Long.MAX_VALUE;

  private Allotment(List<Long> cells, long capacity, long span, boolean one) {
    this.cells = cells;
    this.capacity = capacity;
    this.span = span;
    this.one = one;
  }

  /** Of cells that count for {@code span} more. */
  static Allotment windows(
      List<Long> cells, SortedMap<Long, Long> totals, long capacity, long span) {
    Allotment made = new Allotment(cells, capacity, span, false);
    if (!cells.isEmpty()) {
      cells.forEach(end -> made.used.put(end, 0L));
      totals.tailMap(cells.getFirst()).keySet().forEach(end -> made.used.put(end, 0L));
      made.used.replaceAll((end, none) -> sum(totals.subMap(end - span, end + 1)));
    }
    return made;
  }

  /** Of one window, or a bucket, from which so much is missing. */
  static Allotment one(List<Long> cells, long missing, long capacity) {
    Allotment made = new Allotment(cells, capacity, 0, true);
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

  /** Returns what counts in the fullest window that a cell is in. */
  long most(long cell) {
    long most = 0;
    for (long amount : windowsOf(cell).values()) {
      most = Math.max(most, amount);
    }
    return most;
  }

  /** Has no more granted and kept in all than that. */
  Allotment within(long most) {
    bound = most;
    return this;
  }

  void keep(long cell, long amount) {
    bound = bound == Long.MAX_VALUE ? bound : Math.max(0, bound - amount);
    windowsOf(cell).replaceAll((end, sum) -> Math.min(FULL, sum + amount));
  }

  /** Returns the first cell with room for all of it, or −1. */
  long first(long amount) {
    for (long cell : cells) {
      if (room(cell) >= amount) {
        return cell;
      }
    }
    return -1;
  }

  /** Keeps room for all of it in the first cell that has it; returns whether one has. */
  boolean keepFirst(long amount) {
    long cell = first(amount);
    if (cell >= 0) {
      keep(cell, amount);
    }
    return cell >= 0;
  }
}
