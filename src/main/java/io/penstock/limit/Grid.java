package io.penstock.limit;

/**
 * The cells of a shared limit as they lie on this instance's own clock, about: which cell an
 * overrun is counted in. What may be spent when is said exactly, by {@link Span}.
 *
 * @param cell one of them
 * @param startNanos about when it starts
 * @param cellNanos how long each is, ≥ 1; {@link Long#MAX_VALUE} when there is one, that never ends
 */
public record Grid(long cell, long startNanos, long cellNanos) {
  long cellAt(long now) {
    return cellNanos == Long.MAX_VALUE ? cell : cell + Math.floorDiv(now - startNanos, cellNanos);
  }

  long startOf(long other) {
    return cellNanos == Long.MAX_VALUE ? startNanos : startNanos + (other - cell) * cellNanos;
  }

  /**
   * When the slice of a cell may be spent: from the first of these instants until before the other
   * the cell runs for certain, and the slice is valid.
   *
   * @param fromNanos by this instance's own clock
   * @param untilNanos at most {@code fromNanos} when it may never be
   */
  public record Span(long fromNanos, long untilNanos) {
    /** Never. */
    public static final Span NEVER = new Span(Long.MAX_VALUE, Long.MIN_VALUE);

    boolean runs(long now) {
      return fromNanos <= now && now < untilNanos;
    }
  }
}
