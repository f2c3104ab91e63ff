package io.penstock.limit;

/**
 * The amount that this instance was granted in one cell of a shared limit, and the part it spent.
 *
 * @param cell of the shared clock
 * @param granted all that may be spent, ≥ 0
 * @param used the spent amount less refunds, ≥ 0; above what was granted when usage ran over
 * @param span when the rest may be spent
 */
record Portion(long cell, long granted, long used, Grid.Span span) {
  static Portion of(long cell) {
    return new Portion(cell, 0, 0, Grid.Span.NEVER);
  }

  long free(long held) {
    return Math.max(0, granted - used - held);
  }

  Portion using(long amount) {
    return new Portion(cell, granted, Math.max(0, State.sum(used, amount)), span);
  }

  /** Returns this granted cell after {@code amount} of it was spent in another cell. */
  Portion paying(long amount) {
    return granted(Math.max(0, State.sum(granted, -amount)));
  }

  Portion granted(long amount) {
    return new Portion(cell, amount, used, span);
  }

  /**
   * Returns this granted cell with its lease renewed. If the lease had ended before, the part that
   * was free is gone: others may have been granted it in the meantime.
   */
  Portion leased(Grid.Span next) {
    return span.untilNanos() <= next.fromNanos() ? granted(used) : during(next);
  }

  Portion during(Grid.Span other) {
    return new Portion(cell, granted, used, other);
  }
}
