package io.penstock.limit;

/**
 * A piece of what a limit remembers of what was charged.
 *
 * @param atNanos the instant at which it counts as charged, rounded against the caller: that of the
 *     charge, or the end of the sub-cell it is in; of a fixed window its start, of a day its end
 * @param amount requests or tokens, whichever the limit counts, &gt; 0
 */
public record Cell(long atNanos, long amount) {
  public Cell {
    if (amount <= 0) {
      throw new IllegalArgumentException("amount is " + amount + ", expected more than 0");
    }
  }

  /** This one no later than an instant. */
  Cell by(long latestNanos) {
    return atNanos <= latestNanos ? this : new Cell(latestNanos, amount);
  }
}
