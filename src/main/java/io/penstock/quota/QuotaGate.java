package io.penstock.quota;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Switch that lets all requests of a quota pass or none: shut until an instant, and then open or on
 * trial. On trial it lets one request pass and then shuts for a while, or until its outcome is
 * known; so a trial without an outcome need not be returned. Safe from any thread.
 */
public final class QuotaGate {
  /**
   * @param fromNanos the instant from which requests may pass
   * @param soonestNanos the first instant at which an event may let requests pass sooner; not after
   *     {@code fromNanos}
   * @param trialNanos for how long it is shut after each request that passes; 0 when not on trial
   */
  private record State(long fromNanos, long soonestNanos, long trialNanos) {}

  private static final State OPEN = new State(Long.MIN_VALUE, Long.MIN_VALUE, 0);

  @SharedState("health of upstreams")
  private final AtomicReference<State> state = new AtomicReference<>(OPEN);

  /** Returns the instant from which a request may pass: {@code now} if it may pass already. */
  public long opens(long now) {
    return Math.max(now, state.get().fromNanos());
  }

  /**
   * Returns the first instant from which a request may pass if a probe or a trial goes well: {@code
   * now} if that may be at any moment. It is the same as {@link #opens} if nothing can open the
   * gate sooner.
   */
  public long mayOpen(long now) {
    return Math.max(now, state.get().soonestNanos());
  }

  /** Returns whether it is on trial, and lets only one request pass now and then. */
  public boolean onTrial() {
    return state.get().trialNanos() > 0;
  }

  /** Lets a request pass; returns false when it may not pass now. */
  public boolean pass(long now) {
    while (true) {
      State current = state.get();
      if (current.fromNanos() > now) {
        return false;
      }
      if (current.trialNanos() == 0
          || state.compareAndSet(
              current, new State(now + current.trialNanos(), now, current.trialNanos()))) {
        return true;
      }
    }
  }

  /** Undoes the pass of a request on trial at {@code now}, because the request will not be sent. */
  public void untried(long now) {
    State current = state.get();
    if (current.trialNanos() > 0 && current.fromNanos() == now + current.trialNanos()) {
      state.compareAndSet(current, new State(now, now, current.trialNanos()));
    }
  }

  /**
   * Shuts the gate until an instant, unless it is shut for longer already. A gate on trial stays on
   * trial.
   */
  public void shut(long untilNanos) {
    state.updateAndGet(
        current -> {
          long from = Math.max(current.fromNanos(), untilNanos);
          return new State(
              from, current.trialNanos() > 0 ? current.soonestNanos() : from, current.trialNanos());
        });
  }

  /** Shuts the gate until an instant, unless it is opened sooner. */
  public void shutUnlessOpened(long untilNanos) {
    state.set(new State(untilNanos, Long.MIN_VALUE, 0));
  }

  /** Returns whether an event may open the gate sooner than {@link #opens} says. */
  boolean mayOpenSooner(long now) {
    State current = state.get();
    return current.fromNanos() > now && current.soonestNanos() < current.fromNanos();
  }

  /**
   * Puts the gate on trial from an instant on, which nothing can bring forward.
   *
   * @param fromNanos the instant of the first trial
   * @param trialNanos the least time between two trials, &gt; 0
   */
  public void tryFrom(long fromNanos, long trialNanos) {
    tryFrom(fromNanos, fromNanos, trialNanos);
  }

  /**
   * Puts the gate on trial.
   *
   * @param soonestNanos the first instant at which a probe may let the trial begin sooner
   * @param fromNanos the instant of the first trial, ≥ {@code soonestNanos}
   * @param trialNanos the least time between two trials, &gt; 0
   */
  public void tryFrom(long soonestNanos, long fromNanos, long trialNanos) {
    if (trialNanos <= 0) {
      throw new IllegalArgumentException("trialNanos is " + trialNanos + ", expected more than 0");
    }
    state.set(new State(fromNanos, soonestNanos, trialNanos));
  }

  /** Opens the gate, whatever its state was. The caller must wake the waiters. */
  public void open() {
    state.set(OPEN);
  }
}
