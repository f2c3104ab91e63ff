package io.penstock.endpoint;

/**
 * How long a request is willing to wait.
 *
 * @param timeoutNanos the request's own value in place of the endpoint's {@code queue_timeout}: 0
 *     skips the estimate, {@link #UNSAID} leaves the endpoint's
 * @param clientNanos the time after which its client gives up; {@link Long#MAX_VALUE} when unknown
 */
public record WaitPatience(long timeoutNanos, long clientNanos) {
  /** Value of a request that sets no timeout of its own. */
  public static final long UNSAID = -1;

  /** Patience of a request that leaves everything to the endpoint. */
  public static final WaitPatience DEFAULT = new WaitPatience(UNSAID, Long.MAX_VALUE);

  public WaitPatience {
    if (timeoutNanos < UNSAID || clientNanos < 0) {
      throw new IllegalArgumentException(
          "patience is " + timeoutNanos + " and " + clientNanos + " ns, expected 0 or more");
    }
  }

  /** Returns the estimated wait above which a request is refused; 0 when no estimate refuses it. */
  long refusesAbove(long queueTimeoutNanos) {
    return timeoutNanos == UNSAID ? queueTimeoutNanos : timeoutNanos;
  }

  /** Returns the longest wait; {@link Long#MAX_VALUE} when nothing ends it. */
  long longestWait(long queueTimeoutNanos, boolean estimateOnly, long maxWaitNanos) {
    long wait = clientNanos;
    long own = refusesAbove(queueTimeoutNanos);
    if (own > 0 && !estimateOnly) {
      wait = Math.min(wait, own);
    }
    if (maxWaitNanos > 0) {
      wait = Math.min(wait, maxWaitNanos);
    }
    return wait;
  }
}
