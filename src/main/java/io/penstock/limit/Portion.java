package io.penstock.limit;

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

  long free(long held) {
    return Math.max(0, granted - used - held);
  }

  Portion using(long amount) {
    return new Portion(cell, granted, Math.max(0, State.sum(used, amount)), span);
  }

  /** This one when so much of it was spent in another cell. */
  Portion paying(long amount) {
    return granted(Math.max(0, State.sum(granted, -amount)));
  }

  Portion granted(long amount) {
    return new Portion(cell, amount, used, span);
  }

  /**
   * This one with its lease renewed. When that ended before, what has been free since is others':
   * they may have been granted it meanwhile.
   */
  Portion leased(Grid.Span next) {
    return span.untilNanos() <= next.fromNanos() ? granted(used) : during(next);
  }

  Portion during(Grid.Span other) {
    return new Portion(cell, granted, used, other);
  }
}
