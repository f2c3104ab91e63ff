package io.penstock.pool;

import io.penstock.quota.QuotaGate;

/**
 * Circuit breaker of an upstream. Three failures in a row, or one that waiting does not cure, make
 * it unhealthy: its gate is shut for 1 s, and then on trial with one request at a time. Each failed
 * trial doubles the time, up to 60 s; a successful one opens the gate. Safe from any thread.
 */
final class UpstreamHealth {
  static final int FAILURES = 3;
  static final long LEAST_NANOS = 1_000_000_000L;
  static final long MOST_NANOS = 60_000_000_000L;

  private final QuotaGate quotaGate = new QuotaGate();
  private int failures;
  private long shutNanos;
  private long trialFrom;

  /** Returns the gate, which is shut or on trial while the upstream is unhealthy. */
  QuotaGate gate() {
    return quotaGate;
  }

  /** Returns whether the upstream is healthy. */
  boolean well() {
    return !quotaGate.onTrial();
  }

  /** Records a failed attempt. */
  synchronized void failed(long now) {
    failures++;
    if (failures >= FAILURES || !well()) {
      shut(now);
    }
  }

  /** Records a failure that the next request would meet as well. */
  synchronized void broken(long now) {
    shut(now);
  }

  /**
   * Returns whether a result comes before the first trial: then its request was sent before the
   * gate was shut, and shows nothing about the present state.
   */
  private boolean early(long now) {
    return !well() && now < trialFrom;
  }

  private void shut(long now) {
    if (early(now)) {
      return;
    }
    shutNanos = well() ? LEAST_NANOS : Math.min(MOST_NANOS, 2 * shutNanos);
    trialFrom = now + shutNanos;
    quotaGate.tryFrom(trialFrom, shutNanos);
  }

  /** Records an answer that shows that the upstream works; returns whether that opened the gate. */
  synchronized boolean answered(long now) {
    if (early(now)) {
      return false;
    }
    failures = 0;
    return opened();
  }

  /** Resets the state, as for a newly configured upstream; returns whether it was unhealthy. */
  synchronized boolean forget() {
    failures = 0;
    return opened();
  }

  private boolean opened() {
    boolean was = !well();
    if (was) {
      quotaGate.open();
    }
    return was;
  }
}
