package io.penstock.limit;

/**
 * An amount that a limit charged, and when, as far as the limit remembers it.
 *
 * @param atNanos the instant at which it counts as charged, rounded against the caller: that of the
 *     charge, or the end of the sub-cell it is in; for a fixed window its start, for a day its end
 * @param amount requests or tokens, whichever the limit counts, &gt; 0
 */
public record ChargedCell(long atNanos, long amount) {
  public ChargedCell {
    if (amount <= 0) {
      throw new IllegalArgumentException("amount is " + amount + ", expected more than 0");
    }
  }

  /** Returns this cell, moved to {@code latestNanos} if it is later than that. */
  ChargedCell by(long latestNanos) {
    return atNanos <= latestNanos ? this : new ChargedCell(latestNanos, amount);
  }
}
