package io.penstock.slices;

import io.penstock.limit.SpendingReport;
import io.penstock.sharing.SliceStore;
import java.util.ArrayList;
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
  static List<SliceStore.Use> from(SpendingReport spendingReport, long cell) {
    List<SliceStore.Use> uses = new ArrayList<>();
    for (SpendingReport.Counted each : spendingReport.counted()) {
      if (each.cell() >= cell && each.amount() > 0) {
        uses.add(new SliceStore.Use(each.cell(), each.amount()));
      }
    }
    return uses;
  }
}
