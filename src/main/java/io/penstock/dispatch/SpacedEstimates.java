package io.penstock.dispatch;

import io.penstock.time.Ticker;
import java.util.function.LongSupplier;

/**
 * Waits of tickets that are refused one after the other. The first {@value #MOST} within 10 ms are
 * estimated; each later one is taken to wait longer than the one before by the mean distance of
 * those, so that a thousand tickets which expire at once do not hold up the queue. Only the owner
 * of the queue may use it.
 */
final class SpacedEstimates {
  static final int MOST = 32;
  static final long SPAN_NANOS = 10_000_000;

  private long since;
  private int estimated;
  private long firstWait;
  private long lastWait;

  /**
   * Returns how long the next refused ticket would wait; {@link Ticker#NEVER} when that is not
   * known.
   *
   * @param estimate computes it, as {@link WaitForecast#waitNanos}
   */
  long next(LongSupplier estimate, long now) {
    if (estimated == 0 || now - since >= SPAN_NANOS) {
      since = now;
      estimated = 0;
    }
    if (estimated < MOST) {
      lastWait = estimate.getAsLong();
      firstWait = estimated == 0 ? lastWait : firstWait;
      estimated++;
      return lastWait;
    }
    if (lastWait == Ticker.NEVER || firstWait == Ticker.NEVER) {
      return Ticker.NEVER;
    }
    if (lastWait > PromisedReturns.FARTHEST_NANOS) {
      return lastWait; // nobody is expected back so late, so later ones wait no longer
    }
    long distance = Math.max(0, lastWait - firstWait) / (MOST - 1);
    firstWait += distance;
    lastWait += distance;
    return lastWait;
  }
}
