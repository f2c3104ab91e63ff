package io.penstock.sync;

import io.penstock.limit.Tally;
import io.penstock.quota.Supply;
import java.util.ArrayList;
import java.util.List;

/** What this instance spent, or may still spend, of one limit, as it is reported. */
final class Spending {
  private Spending() {}

  /** Returns whether there is any. */
  static boolean any(Tally tally) {
    return tally.counted().stream().anyMatch(each -> each.amount() > 0);
  }

  /** Returns that of a cell and all after it. */
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
