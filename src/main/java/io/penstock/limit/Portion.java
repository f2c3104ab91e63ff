package io.penstock.limit;

import java.util.List;

/**
 * What this instance may spend of one cell of a shared limit, and did.
 *
 * @param cell of the shared clock
 * @param granted what it may spend in all, ≥ 0
 * @param used what it spent, refunds deducted, ≥ 0; above what was granted when usage ran over
 * @param span when the rest may be spent
 */
record Portion(long cell, long granted, long used, Grid.Span span) {
  static Portion of(long cell) {
    return new Portion(cell, 0, 0, Grid.Span.NEVER);
  }

  /** Where a cell is in a list, put there if it is not. */
  static int at(List<Portion> portions, long cell) {
    int at = portions.size();
    while (at > 0 && portions.get(at - 1).cell() >= cell) {
      at--;
    }
    if (at == portions.size() || portions.get(at).cell() != cell) {
      portions.add(at, of(cell));
    }
    return at;
  }

  /**
   * Adds what was spent before anything was granted, and still counts. Of a fixed window that is
   * what its cell has charged; what is held is spent in none.
   */
  static void spend(List<Portion> portions, State alone, Grid grid, long now) {
    if (alone instanceof FixedWindowState) {
      return;
    }
    long held = alone.balance(now).held();
    for (Cell each : alone.cells(now).reversed()) {
      long charged = Math.max(0, each.amount() - held);
      held = Math.max(0, held - each.amount());
      if (charged > 0) {
        int at = at(portions, grid.cellAt(Math.min(now, each.atNanos())));
        portions.set(at, portions.get(at).using(charged));
      }
    }
  }

  long free(long held) {
    return Math.max(0, granted - used - held);
  }

  Portion using(long amount) {
    return new Portion(cell, granted, Math.max(0, State.sum(used, amount)), span);
  }

  Portion granted(long amount) {
    return new Portion(cell, amount, used, span);
  }

  Portion during(Grid.Span other) {
    return new Portion(cell, granted, used, other);
  }
}
