package io.penstock.pool;

import io.penstock.quota.QuotaGate;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker of an upstream. Three failures in a row, or one that waiting does not cure, make
 * it unhealthy: its gate is shut, and a probe is due after 1 s. A probe that fails doubles the time
 * until the next one, up to 15 s. One that goes well puts the gate on trial with one request at a
 * time, because a probe does not show that the call works that failed. A failed trial shuts the
 * gate again and also doubles the time; a successful one opens it. If no result of a probe arrives,
 * the trial begins by itself.
 *
 * <p>A failure that a request may have provoked by what it asks counts only when requests of two
 * keys failed, or when no other key sent a request in the last minute: nobody shall take the
 * upstream from others by repeating a request that fails. For the same reason the gate opens as
 * soon as a second key comes, if nothing but such failures of one key has shut it. Safe from any
 * thread.
 */
final class UpstreamHealth {
  static final int FAILURES = 3;
  static final long LEAST_NANOS = 1_000_000_000L;
  static final long MOST_NANOS = 15_000_000_000L;

  /** How long after its last request a key counts as active. */
  static final long ACTIVE_NANOS = 60_000_000_000L;

  /** How long after a probe was due the trial begins if its result is not known. */
  static final long GRACE_NANOS = Upstream.PROBE_NANOS + 1_000_000_000L;

  /**
   * How many probes in a row may be answered with an error before the trial begins nevertheless: a
   * provider that cannot answer the question of a probe may well serve requests.
   */
  static final int MOST_ERRORS = 4;

  private final QuotaGate quotaGate = new QuotaGate();
  private final ActiveKeys activeKeys = new ActiveKeys(ACTIVE_NANOS);

  /** The failures in a row that are the upstream's own. */
  private int own;

  /** The failures in a row that requests may have provoked. */
  private int provoked;

  /** The key of the first of those requests, or null. */
  private @Nullable Object provoker;

  /** Whether another key had such a failure too. */
  private boolean several;

  /** The key whose requests alone shut the gate, or null; writes are synchronized. */
  private volatile @Nullable Object shutBy;

  private volatile boolean doubted;
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

  /** Notes that the beginning of an answer says nothing, because one failed after that. */
  void doubt() {
    doubted = true;
  }

  /** Returns whether the beginning of an answer says nothing now. */
  boolean doubted() {
    return doubted;
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

  /** Records a failed attempt for which no request is to blame. */
  synchronized void failed(long now) {
    if (!early(now)) {
      own++;
      countFailures(now);
    }
  }

  /**
   * Records an attempt that failed perhaps because of what the request asks.
   *
   * @param key the key of the request; null stands for requests without one
   * @return whether a request may go on trial now, because this failure does not count
   */
  synchronized boolean failed(@Nullable Object key, long now) {
    if (early(now)) {
      return false;
    }
    Object name = ActiveKeys.name(key);
    several |= provoker != null && !provoker.equals(name);
    provoker = provoker == null ? name : provoker;
    provoked++;
    if (well() || counted(now) > 0) {
      countFailures(now);
      return false;
    }
    quotaGate.tryFrom(now, shutNanos);
    return true;
  }

  private void countFailures(long now) {
    if (counted(now) >= (well() ? FAILURES : 1)) {
      shutBy = own == 0 && !several ? provoker : null;
      shutLonger(now);
    }
  }

  /** Returns the number of failures in a row that count. */
  private int counted(long now) {
    boolean counts = several || (provoker != null && activeKeys.only(provoker, now));
    return counts ? own + provoked : own;
  }

  private void forgetFailures() {
    own = 0;
    provoked = 0;
    provoker = null;
    several = false;
  }

  /**
   * Records that a request arrived for the upstream, whether it can be sent or not; returns whether
   * that opened the gate.
   *
   * @param key the key of the request; null stands for requests without one
   */
  boolean arrived(@Nullable Object key, long now) {
    Object name = ActiveKeys.name(key);
    activeKeys.sent(name, now);
    Object alone = shutBy;
    return alone != null && !alone.equals(name) && openedFor(name);
  }

  private synchronized boolean openedFor(Object name) {
    Object alone = shutBy;
    return alone != null && !alone.equals(name) && opened();
  }

  /** Returns whether no other key sent a request in the last minute. */
  boolean only(@Nullable Object key, long now) {
    return activeKeys.only(ActiveKeys.name(key), now);
  }

  /** Records a failure that the next request would meet as well. */
  synchronized void broken(long now) {
    shutBy = null;
    if (!early(now)) {
      shutLonger(now);
    }
  }

  /**
   * Returns whether a result comes before the first trial: then its request was sent before the
   * gate was shut, and shows nothing about the present state.
   */
  private boolean early(long now) {
    return !well() && now < trialFrom;
  }

  private void shutLonger(long now) {
    forgetFailures(); // a trial is judged by what comes after it
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
      shutBy = null;
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
    doubted = false;
    forgetFailures();
    return opened();
  }

  /** Resets the state, as for a newly configured upstream; returns whether it was unhealthy. */
  synchronized boolean forget() {
    doubted = false;
    forgetFailures();
    return opened();
  }

  private boolean opened() {
    boolean was = !well();
    shutBy = null;
    if (was) {
      probeAt = Ticker.NEVER;
      errors = 0;
      quotaGate.open();
    }
    return was;
  }
}
