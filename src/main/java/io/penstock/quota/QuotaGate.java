package io.penstock.quota;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Switch that lets all requests of a quota pass or none: shut until an instant, and then open or on
 * trial. On trial it lets one request pass and then shuts for a while, or until its outcome is
 * known; so a trial without an outcome need not be returned. A trial may have an end, at which the
 * gate opens by itself. Safe from any thread.
 */
public final class QuotaGate {
  /**
   * @param fromNanos the instant from which requests may pass
   * @param soonestNanos the first instant at which an event may let requests pass sooner; not after
   *     {@code fromNanos}
   * @param trialNanos for how long it is shut after each request that passes; 0 when not on trial
   * @param endNanos the instant from which all requests may pass, as somebody has stated; {@link
   *     Ticker#NEVER} when nobody has
   * @param tried whether a request has passed on trial
   */
  private record State(
      long fromNanos, long soonestNanos, long trialNanos, long endNanos, boolean tried) {
    State(long fromNanos, long soonestNanos, long trialNanos) {
      this(fromNanos, soonestNanos, trialNanos, Ticker.NEVER, false);
    }

    State passed(long now) {
      return new State(now + trialNanos, now, trialNanos, endNanos, true);
    }

    State untried(long now) {
      return new State(now, now, trialNanos, endNanos, false);
    }

    long opens() {
      return Math.min(fromNanos, endNanos);
    }

    boolean isTrialAt(long now) {
      return trialNanos > 0 && endNanos > now;
    }
  }

  private static final State OPEN = new State(Long.MIN_VALUE, Long.MIN_VALUE, 0);

  @SharedState("health of upstreams")
  private final AtomicReference<State> state = new AtomicReference<>(OPEN);

  /** Returns the instant from which a request may pass: {@code now} if it may pass already. */
  public long opens(long now) {
    return Math.max(now, state.get().opens());
  }

  /**
   * Returns the instant from which all requests may pass, as somebody has stated: {@code now} when
   * nobody has, or they may already.
   */
  public long statedEnd(long now) {
    long end = state.get().endNanos();
    return end == Ticker.NEVER ? now : Math.max(now, end);
  }

  /** Returns whether a request has passed although its stated end was still to come. */
  public boolean tried() {
    return state.get().tried();
  }

  /**
   * Returns the first instant from which a request may pass if a probe or a trial goes well: {@code
   * now} if that may be at any moment. It is the same as {@link #opens} if nothing can open the
   * gate sooner.
   */
  public long mayOpen(long now) {
    State current = state.get();
    return Math.max(now, Math.min(current.soonestNanos(), current.endNanos()));
  }

  /** Returns whether it is on trial, and lets only one request pass now and then. */
  public boolean onTrial() {
    return state.get().trialNanos() > 0;
  }

  /** Returns whether it is on trial at an instant, which may be past a stated end. */
  boolean onTrial(long now) {
    return state.get().isTrialAt(now);
  }

  /** Lets a request pass; returns false when it may not pass now. */
  public boolean pass(long now) {
    while (true) {
      State current = state.get();
      if (current.opens() > now) {
        return false;
      }
      if (!current.isTrialAt(now) || state.compareAndSet(current, current.passed(now))) {
        return true;
      }
    }
  }

  /** Undoes the pass of a request on trial at {@code now}, because the request will not be sent. */
  public void untried(long now) {
    State current = state.get();
    if (current.tried() && current.fromNanos() == now + current.trialNanos()) {
      state.compareAndSet(current, current.untried(now));
    }
  }

  /**
   * Shuts the gate until an instant, unless it is shut for longer already. A gate on trial stays on
   * trial, and its stated end comes no sooner than that instant.
   */
  public void shut(long untilNanos) {
    state.updateAndGet(
        current -> {
          long from = Math.max(current.fromNanos(), untilNanos);
          return new State(
              from,
              current.trialNanos() > 0 ? current.soonestNanos() : from,
              current.trialNanos(),
              current.endNanos() == Ticker.NEVER
                  ? Ticker.NEVER
                  : Math.max(current.endNanos(), untilNanos),
              current.tried());
        });
  }

  /**
   * Shuts the gate until an end that somebody has stated, unless it is shut for longer already.
   * Until then one request may pass now and then, to find out whether the statement still holds.
   *
   * @param endNanos the end
   * @param tryNanos the least time until the next of these requests, &gt; 0
   */
  public void shutStated(long endNanos, long tryNanos, long now) {
    if (tryNanos <= 0) {
      throw new IllegalArgumentException("tryNanos is " + tryNanos + ", expected more than 0");
    }
    state.updateAndGet(
        current -> {
          boolean stated = current.endNanos() != Ticker.NEVER && current.endNanos() > now;
          long end = Math.max(endNanos, stated ? current.endNanos() : current.opens());
          long from = Math.min(end, Math.max(current.fromNanos(), now + tryNanos));
          return new State(from, from, tryNanos, end, stated && current.tried());
        });
  }

  /** Shuts the gate until an instant, unless it is opened sooner. */
  public void shutUnlessOpened(long untilNanos) {
    state.set(new State(untilNanos, Long.MIN_VALUE, 0));
  }

  /** Returns whether an event may open the gate sooner than {@link #opens} says. */
  boolean mayOpenSooner(long now) {
    State current = state.get();
    return current.opens() > now && current.soonestNanos() < current.opens();
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
