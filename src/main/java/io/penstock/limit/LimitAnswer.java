package io.penstock.limit;

/** Answer of a limit to a weight. */
public sealed interface LimitAnswer {
  /**
   * Admitted, and taken.
   *
   * @param cell the window or sub-cell that the amount was taken from
   * @param taken the charged amount
   * @param reserved the reserved output
   * @param totalTaken the running total of all that was ever taken from a trailing window, this
   *     included; 0 for other limits, and for charges
   * @param sequence the cell of the Unix clock that the amount was taken from, if regions share the
   *     limit; 0 otherwise
   */
  record Receipt(long cell, long taken, long reserved, long totalTaken, long sequence)
      implements LimitAnswer {
    Receipt(long cell, long taken, long reserved) {
      this(cell, taken, reserved, 0);
    }

    Receipt(long cell, long taken, long reserved, long totalTaken) {
      this(cell, taken, reserved, totalTaken, 0);
    }

    /** Returns the receipt of the same amount in another cell. */
    Receipt at(long other) {
      return new Receipt(other, taken, reserved, totalTaken, sequence);
    }

    /** Returns the receipt of what is left when {@code amount} of it was given back. */
    public Receipt less(long amount) {
      return new Receipt(cell, taken - amount, reserved, totalTaken, sequence);
    }

    /** Returns this receipt of a charge for output that {@code take} had reserved. */
    public Receipt reservedBy(Receipt take) {
      return new Receipt(cell, taken, reserved, take.totalTaken, sequence);
    }

    Receipt within(long sequence) {
      return new Receipt(cell, taken, reserved, totalTaken, sequence);
    }
  }

  /**
   * Not admitted now.
   *
   * @param untilNanos the instant at which it would be admitted if nothing else happened, or {@link
   *     io.penstock.time.Ticker#NEVER} when only a wake-up helps
   */
  record Wait(long untilNanos) implements LimitAnswer {}

  /**
   * Never admitted: the least amount the request needs is more than the limit could ever admit.
   *
   * @param capacity the largest amount the limit could admit
   */
  record Refuse(long capacity) implements LimitAnswer {}
}
