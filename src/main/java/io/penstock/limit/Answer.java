package io.penstock.limit;

/** What a limit says to a weight. */
public sealed interface Answer {
  /**
   * Admitted, and taken.
   *
   * @param cell the window or sub-cell it was taken from
   * @param taken what was charged
   * @param held what is held
   * @param mark the count of all that was ever taken from a trailing window, this included; 0 of
   *     other limits, and of charges
   * @param shared the cell of the shared clock it was taken from; 0 of limits that are not shared
   * @param sequence the cell of the Unix clock it was taken from, where regions share the limit; 0
   *     of all others
   */
  record Receipt(long cell, long taken, long held, long mark, long shared, long sequence)
      implements Answer {
    Receipt(long cell, long taken, long held, long mark, long shared) {
      this(cell, taken, held, mark, shared, 0);
    }

    Receipt(long cell, long taken, long held) {
      this(cell, taken, held, 0);
    }

    Receipt(long cell, long taken, long held, long mark) {
      this(cell, taken, held, mark, 0);
    }

    Receipt in(long shared) {
      return new Receipt(cell, taken, held, mark, shared, sequence);
    }

    Receipt within(long sequence) {
      return new Receipt(cell, taken, held, mark, shared, sequence);
    }
  }

  /**
   * Not now.
   *
   * @param untilNanos the instant at which it would be admitted if nothing else happened, or {@link
   *     io.penstock.time.Ticker#NEVER} when only a wake-up helps
   */
  record Wait(long untilNanos) implements Answer {}

  /**
   * Never: the part that cannot be done without is more than the limit could ever admit.
   *
   * @param capacity the most it could admit
   */
  record Refuse(long capacity) implements Answer {}
}
