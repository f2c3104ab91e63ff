package io.penstock.dispatch;

/**
 * How long a request is willing to wait.
 *
 * @param timeoutNanos the request's own value in place of the endpoint's {@code queue_timeout}: 0
 *     skips the estimate, {@link #UNSTATED} leaves the endpoint's
 * @param clientNanos the time after which its client gives up; {@link Long#MAX_VALUE} when unknown
 */
public record WaitPatience(long timeoutNanos, long clientNanos) {
  /** Value of a request that sets no timeout of its own. */
  public static final long UNSTATED = -1;

  /** Patience of a request that leaves everything to the endpoint. */
  public static final WaitPatience DEFAULT = new WaitPatience(UNSTATED, Long.MAX_VALUE);

  public WaitPatience {
    if (timeoutNanos < UNSTATED || clientNanos < 0) {
      throw new IllegalArgumentException(
          "patience is " + timeoutNanos + " and " + clientNanos + " ns, expected 0 or more");
    }
  }

  /**
   * Returns the estimated wait above which a request is refused; 0 when no estimate refuses it. A
   * client that gives up sooner than its request may wait bounds the estimate too.
   */
  public long refusesAbove(long queueTimeoutNanos) {
    long own = timeout(queueTimeoutNanos);
    if (timeoutNanos == 0 || clientNanos == Long.MAX_VALUE) {
      return own;
    }
    long client = Math.max(1, clientNanos); // 0 would skip the estimate
    return own == 0 ? client : Math.min(own, client);
  }

  private long timeout(long queueTimeoutNanos) {
    return timeoutNanos == UNSTATED ? queueTimeoutNanos : timeoutNanos;
  }

  /** Returns the longest wait; {@link Long#MAX_VALUE} when nothing ends it. */
  public long longestWait(long queueTimeoutNanos, boolean estimateOnly, long maxWaitNanos) {
    long wait = clientNanos;
    long own = timeout(queueTimeoutNanos);
    if (own > 0 && !estimateOnly) {
      wait = Math.min(wait, own);
    }
    if (maxWaitNanos > 0) {
      wait = Math.min(wait, maxWaitNanos);
    }
    return wait;
  }
}
