package io.penstock.limit;

/** What a limit says to a weight. */
public sealed interface Answer {
  /**
   * Admitted, and taken.
   *
   * @param cell the window or sub-cell it was taken from
   * @param taken what was charged
   * @param held what is held
   */
  record Receipt(long cell, long taken, long held) implements Answer {}

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
