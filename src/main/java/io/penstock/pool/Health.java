package io.penstock.pool;

import io.penstock.quota.Gate;

/**
 * Whether an upstream is worth asking. Three failures in a row, or one that does not pass by
 * waiting, make it unhealthy: shut for 1 s, then on trial, one request at a time; each trial that
 * fails doubles the time, up to 60 s, and one that goes well opens it. Safe from any thread.
 */
final class Health {
  static final int FAILURES = 3;
  static final long LEAST_NANOS = 1_000_000_000L;
  static final long MOST_NANOS = 60_000_000_000L;

  private final Gate gate = new Gate();
  private int failures;
  private long shutNanos;
  private long trialFrom;

  /** The gate that is shut while it is unhealthy. */
  Gate gate() {
    return gate;
  }

  /** Whether requests go there as they come. */
  boolean well() {
    return !gate.onTrial();
  }

  /** Takes note of an attempt that failed. */
  synchronized void failed(long now) {
    failures++;
    if (failures >= FAILURES || !well()) {
      shut(now);
    }
  }

  /** Takes note of a failure that the next request would meet as well. */
  synchronized void broken(long now) {
    shut(now);
  }

  /** What was sent before it was shut says nothing about how it fares since. */
  private boolean early(long now) {
    return !well() && now < trialFrom;
  }

  private void shut(long now) {
    if (early(now)) {
      return;
    }
    shutNanos = well() ? LEAST_NANOS : Math.min(MOST_NANOS, 2 * shutNanos);
    trialFrom = now + shutNanos;
    gate.tryFrom(trialFrom, shutNanos);
  }

  /** Takes note of an answer; returns whether that opened the gate. */
  synchronized boolean answered(long now) {
    if (early(now)) {
      return false;
    }
    failures = 0;
    return opened();
  }

  /** Forgets all, as of an upstream that is configured anew; returns whether it was shut. */
  synchronized boolean forget() {
    failures = 0;
    return opened();
  }

  private boolean opened() {
    boolean was = !well();
    if (was) {
      gate.open();
    }
    return was;
  }
}
