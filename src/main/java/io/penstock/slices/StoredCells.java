package io.penstock.slices;

import io.penstock.limit.CellAmount;
import io.penstock.limit.SpendingReport;
import io.penstock.sharing.SliceStore;
import java.util.TreeMap;

/**
 * Amounts that the store counts for one limit and this member, by cell, according to the last
 * answer. Used by one thread at a time.
 */
final class StoredCells {
  private final TreeMap<Long, Long> cells = new TreeMap<>();

  /** Whether the store may count other amounts, in any cell. */
  private boolean unsure = true;

  /** Discards the certainty about the store. */
  void markUncertain() {
    unsure = true;
  }

  boolean unsure() {
    return unsure;
  }

  /** Forgets all amounts, because the store counts in other cells from now on. */
  void clear() {
    cells.clear();
    unsure = true;
  }

  /** Returns the first cell for which the store may have another amount. */
  long firstOther(SpendingReport spendingReport, long oldest) {
    if (unsure) {
      return oldest;
    }
    for (CellAmount each : spendingReport.counted()) {
      if (other(each)) {
        return each.cell();
      }
    }
    return Long.MAX_VALUE;
  }

  private boolean other(CellAmount counted) {
    return cells.getOrDefault(counted.cell(), 0L) != counted.amount();
  }

  /** Returns whether the store may have another amount for any cell at or after {@code from}. */
  boolean differs(SpendingReport spendingReport, long from) {
    return unsure
        ? !cells.isEmpty() || spendingReport.counted().stream().anyMatch(each -> each.amount() > 0)
        : spendingReport.counted().stream().anyMatch(each -> each.cell() >= from && other(each));
  }

  /** Records that an ask was answered; cells before {@code oldest} no longer count. */
  void acknowledge(SliceStore.Ask ask, long oldest) {
    cells.tailMap(ask.from(), true).clear();
    cells.headMap(oldest, false).clear();
    ask.uses().forEach(use -> cells.put(use.cell(), use.amount()));
    unsure = false;
  }

  void granted(CellAmount slice) {
    cells.merge(slice.cell(), slice.amount(), Long::sum);
  }
}
