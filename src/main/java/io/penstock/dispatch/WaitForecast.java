package io.penstock.dispatch;

import io.penstock.time.Ticker;

/**
 * How long a ticket is expected to wait.
 *
 * @param waitNanos the expected wait, ≥ 0; {@link Ticker#NEVER} when nothing is known of it
 * @param bound whether the true wait may be longer, because it depends on events that nobody can
 *     foresee, such as the end of an answer; never for an unknown wait
 */
public record WaitForecast(long waitNanos, boolean bound) {
  /** The forecast of an unknown wait. */
  public static final WaitForecast UNKNOWN = new WaitForecast(Ticker.NEVER, false);

  /** The forecast of a ticket that need not wait. */
  public static final WaitForecast NONE = new WaitForecast(0, false);

  /** Longest wait that is still given as a forecast. */
  private static final long FARTHEST_NANOS = Long.MAX_VALUE / 4;

  /**
   * Returns a forecast, or {@link #UNKNOWN} if the wait is longer than any that is worth stating.
   */
  static WaitForecast of(long waitNanos, boolean bound) {
    return waitNanos > FARTHEST_NANOS ? UNKNOWN : new WaitForecast(waitNanos, bound);
  }

  /** Returns whether anything is known of the wait. */
  public boolean known() {
    return waitNanos != Ticker.NEVER;
  }
}
