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
 * soon as a second key comes, if nothing but such failures of one key has shut it.
 *
 * <p>Refusals of the gateway's account are such failures, too, in a row of their own: only an
 * answer that serves a request ends it, because a provider may find fault with a request before it
 * looks at the account. While they are the reason, a probe that may not ask shows nothing new. Safe
 * from any thread.
 */
final class UpstreamHealth {
  static final int FAILURES = 3;
  static final long LEAST_NANOS = 1_000_000_000L;
  static final long MOST_NANOS = 15_000_000_000L;

  /** How many refusals of the account in a row are enough if two keys met them. */
  static final int WITNESSED_REFUSALS = 2;

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

  private final FailureRow failures = new FailureRow();

  /** The refusals of the account. */
  private final FailureRow refusals = new FailureRow();

  /** Whether refusals of the account have shut the gate; writes are synchronized. */
  private volatile boolean refused;

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
      failures.add();
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
    failures.add(ActiveKeys.name(key));
    if (well() || failures.counted(activeKeys, now) > 0) {
      countFailures(now);
      return false;
    }
    quotaGate.tryFrom(now, shutNanos);
    return true;
  }

  private void countFailures(long now) {
    if (failures.counted(activeKeys, now) >= (well() ? FAILURES : 1)) {
      shut(failures, now);
    }
  }

  /** Records that the provider refused the gateway's account, for which no request is to blame. */
  synchronized void refused(long now) {
    if (!early(now)) {
      refusals.add();
      shut(refusals, now);
    }
  }

  /**
   * Records that the provider refused the gateway's account, perhaps because of what the request
   * asks.
   *
   * @param key the key of the request; null stands for requests without one
   * @return whether a request may go on trial now, because this refusal does not count
   */
  synchronized boolean refused(@Nullable Object key, long now) {
    if (early(now)) {
      return false;
    }
    refusals.add(ActiveKeys.name(key));
    int counted = refusals.counted(activeKeys, now);
    if (!well() && counted == 0) {
      quotaGate.tryFrom(now, shutNanos);
      return true;
    }
    int most = refusals.isWitnessed() ? WITNESSED_REFUSALS : FAILURES;
    if (counted >= (well() ? most : 1)) {
      shut(refusals, now);
    }
    return false;
  }

  private void shut(FailureRow because, long now) {
    shutBy = because.alone();
    refused = because == refusals;
    shutLonger(now);
  }

  private void forgetFailures() {
    failures.forget();
    refusals.forget();
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
    boolean error =
        switch (result) {
          case ERROR -> true;
          case UNCLEAR -> refused;
          case WORKS, UNREACHABLE -> false;
        };
    errors = error ? errors + 1 : 0;
    boolean tries = error ? errors >= MOST_ERRORS : result != ProbeResult.UNREACHABLE;
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

  /**
   * Records an answer that shows that the upstream and its account work; returns whether that
   * opened the gate.
   */
  synchronized boolean answered(long now) {
    if (early(now)) {
      return false;
    }
    doubted = false;
    forgetFailures();
    return opened();
  }

  /**
   * Records an answer that shows that the upstream works, but not whether its account does; returns
   * whether that opened the gate, or lets another request go on trial now.
   */
  synchronized boolean worked(long now) {
    if (early(now)) {
      return false;
    }
    failures.forget();
    if (!refused) {
      return opened();
    }
    quotaGate.tryFrom(now, shutNanos);
    return true;
  }

  /** Returns whether it is unhealthy because the provider refuses the gateway's account. */
  boolean isRefused() {
    return refused;
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
    refused = false;
    if (was) {
      probeAt = Ticker.NEVER;
      errors = 0;
      quotaGate.open();
    }
    return was;
  }
}
