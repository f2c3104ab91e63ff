package io.penstock.sync;

import io.penstock.limit.Tally;
import io.penstock.quota.Supply;
import java.util.ArrayList;
import java.util.List;

/**
 * Amounts that this instance has spent, or may still spend, of one limit, in the form of a report.
 */
final class Spending {
  private Spending() {}

  /** Returns whether any amount is positive. */
  static boolean any(Tally tally) {
    return tally.counted().stream().anyMatch(each -> each.amount() > 0);
  }

  /** Returns the amounts of the given cell and all later ones. */
  static List<Supply.Use> from(Tally tally, long cell) {
    List<Supply.Use> uses = new ArrayList<>();
    for (Tally.Counted each : tally.counted()) {
      if (each.cell() >= cell && each.amount() > 0) {
        uses.add(new Supply.Use(each.cell(), each.amount()));
      }
    }
    return uses;
  }
}
