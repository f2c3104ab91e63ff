package io.penstock.limit;

/**
 * The amount that this instance was granted in one cell of a shared limit, and the part it spent.
 *
 * @param cell of the shared clock
 * @param granted all that may be spent, ≥ 0
 * @param used the spent amount less refunds, ≥ 0; above what was granted when usage ran over
 * @param span when the rest may be spent
 */
record GrantedCell(long cell, long granted, long used, CellGrid.Span span) {
  static GrantedCell of(long cell) {
    return new GrantedCell(cell, 0, 0, CellGrid.Span.NEVER);
  }

  long free(long reserved) {
    return Math.max(0, granted - used - reserved);
  }

  GrantedCell using(long amount) {
    return new GrantedCell(cell, granted, Math.max(0, AmountBound.sum(used, amount)), span);
  }

  /** Returns this granted cell after {@code amount} of it was spent in another cell. */
  GrantedCell paying(long amount) {
    return granted(Math.max(0, AmountBound.sum(granted, -amount)));
  }

  GrantedCell granted(long amount) {
    return new GrantedCell(cell, amount, used, span);
  }

  /**
   * Returns this granted cell with its lease renewed. If the lease had ended before, the part that
   * was free is gone: others may have been granted it in the meantime.
   */
  GrantedCell leased(CellGrid.Span next) {
    return span.untilNanos() <= next.fromNanos() ? granted(used) : during(next);
  }

  GrantedCell during(CellGrid.Span other) {
    return new GrantedCell(cell, granted, used, other);
  }
}
