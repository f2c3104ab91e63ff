package io.penstock.pool;

import io.penstock.quota.QuotaGate;
import io.penstock.time.Ticker;

/**
 * Circuit breaker of an upstream. Three failures in a row, or one that waiting does not cure, make
 * it unhealthy: its gate is shut, and a probe is due after 1 s. A probe that fails doubles the time
 * until the next one, up to 15 s. One that goes well puts the gate on trial with one request at a
 * time, because a probe does not show that the call works that failed. A failed trial shuts the
 * gate again and also doubles the time; a successful one opens it. If no result of a probe arrives,
 * the trial begins by itself. Safe from any thread.
 */
final class UpstreamHealth {
  static final int FAILURES = 3;
  static final long LEAST_NANOS = 1_000_000_000L;
  static final long MOST_NANOS = 15_000_000_000L;

  /** How long after a probe was due the trial begins if its result is not known. */
  static final long GRACE_NANOS = Upstream.PROBE_NANOS + 1_000_000_000L;

  /**
   * How many probes in a row may be answered with an error before the trial begins nevertheless: a
   * provider that cannot answer the question of a probe may well serve requests.
   */
  static final int MOST_ERRORS = 4;

  private final QuotaGate quotaGate = new QuotaGate();
  private int failures;
  private int errors;
  private long shutNanos;
  private long trialFrom;
  private volatile long probeAt = Ticker.NEVER;

  /** Returns the gate, which is shut or on trial while the upstream is unhealthy. */
  QuotaGate gate() {
    return quotaGate;
  }

  /** Returns whether the upstream is healthy. */
  boolean well() {
    return !quotaGate.onTrial();
  }

  /** Returns the instant at which a probe is due, or {@link Ticker#NEVER} when none is. */
  long probeAt() {
    return probeAt;
  }

  /**
   * Returns when it is tried next, by a probe or by a request: {@code now} if requests may go, and
   * at most a second later while the result of a probe is awaited.
   */
  long triedAt(long now) {
    long opens = quotaGate.opens(now);
    long due = probeAt;
    if (due == Ticker.NEVER) {
      return opens;
    }
    return Math.min(opens, due > now ? due : now + LEAST_NANOS);
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
    if (!early(now)) {
      shutLonger(now);
    }
  }

  private void shutLonger(long now) {
    shutNanos = well() ? LEAST_NANOS : Math.min(MOST_NANOS, 2 * shutNanos);
    long due = now + shutNanos;
    trialFrom = due + GRACE_NANOS;
    quotaGate.tryFrom(due, trialFrom, shutNanos);
    probeAt = due;
  }

  /**
   * Records the result of a probe; returns whether requests may go on trial now. A result before a
   * probe is due is that of an earlier one, and changes nothing.
   */
  synchronized boolean probed(ProbeResult result, long now) {
    if (now < probeAt) {
      return false;
    }
    errors = result == ProbeResult.ERROR ? errors + 1 : 0;
    boolean tries =
        switch (result) {
          case WORKS, UNCLEAR -> true;
          case ERROR -> errors >= MOST_ERRORS;
          case UNREACHABLE -> false;
        };
    if (!tries) {
      shutLonger(now);
      return false;
    }
    errors = 0;
    probeAt = Ticker.NEVER;
    trialFrom = now;
    quotaGate.tryFrom(now, shutNanos);
    return true;
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
      probeAt = Ticker.NEVER;
      errors = 0;
      quotaGate.open();
    }
    return was;
  }
}
