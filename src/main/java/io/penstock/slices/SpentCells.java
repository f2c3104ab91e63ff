package io.penstock.slices;

import io.penstock.limit.CellAmount;
import io.penstock.limit.SpendingReport;
import java.util.List;

/**
 * Amounts that this instance has spent, or may still spend, of one limit, in the form of a report.
 */
final class SpentCells {
  private SpentCells() {}

  /** Returns whether any amount is positive. */
  static boolean any(SpendingReport spendingReport) {
    return spendingReport.counted().stream().anyMatch(each -> each.amount() > 0);
  }

  /** Returns the amounts of the given cell and all later ones. */
  static List<CellAmount> from(SpendingReport spendingReport, long cell) {
    return spendingReport.counted().stream()
        .filter(each -> each.cell() >= cell && each.amount() > 0)
        .toList();
  }
}
