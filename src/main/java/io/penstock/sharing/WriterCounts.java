package io.penstock.sharing;

import io.penstock.sharing.CountStore.Count;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of one limit that a writer publishes in a {@link CountStore}, by cell: how much it
 * counted, and how much of that the store has acknowledged. Both only grow, even if something is
 * given back, because counts are merged by maximum. Not thread-safe.
 */
public final class WriterCounts {
  private static final class Cell {
    private long counted;
    private long acknowledged;
  }

  private final LimitId id;
  private final Map<Long, Cell> cells = new TreeMap<>();

  /** Creates the counts of a limit that has none. */
  public WriterCounts(LimitId id) {
    this.id = id;
  }

  /** Records that {@code amount} ≥ 0 was counted in a cell. Returns the highest such amount. */
  public long count(long number, long amount) {
    Cell cell = cells.computeIfAbsent(number, none -> new Cell());
    cell.counted = Math.max(cell.counted, amount);
    return cell.counted;
  }

  /** Records that the store has an amount; has no effect on a cell that was forgotten. */
  public void acknowledge(long number, long amount) {
    Cell cell = cells.get(number);
    if (cell != null) {
      cell.acknowledged = Math.max(cell.acknowledged, amount);
    }
  }

  /** Forgets cells before the given one, which no longer count. */
  public void forget(long oldest) {
    cells.keySet().removeIf(number -> number < oldest);
  }

  /** Adds the count of a cell to those to publish, unless the store has it. */
  public void addNew(long number, List<Count> due) {
    Cell cell = cells.get(number);
    if (cell != null) {
      add(number, cell, due);
    }
  }

  /** Adds the counts of all cells to those to publish, but for those that the store has. */
  public void addAll(List<Count> due) {
    cells.forEach((number, cell) -> add(number, cell, due));
  }

  private void add(long number, Cell cell, List<Count> due) {
    if (cell.counted > cell.acknowledged) {
      due.add(new Count(id, number, cell.counted));
    }
  }

  /** Returns the sum of two amounts ≥ 0, at most {@link Long#MAX_VALUE}. */
  public static long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }
}
