package io.penstock.quota;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Whether anything goes at all: shut until an instant, and then open, or on trial. On trial one
 * request goes and the gate is shut again for a while, until somebody says how that one fared: so
 * nobody has to give a trial back that came to nothing. Safe from any thread.
 */
public final class Gate {
  /**
   * @param fromNanos the instant from which it lets pass
   * @param trialNanos for how long it is shut after each request that passes; 0 is not on trial
   */
  private record State(long fromNanos, long trialNanos) {}

  private static final State OPEN = new State(Long.MIN_VALUE, 0);

  private final AtomicReference<State> state = new AtomicReference<>(OPEN);

  /** Returns the instant from which a request may pass, at most {@code now} if it may. */
  public long opens(long now) {
    return Math.max(now, state.get().fromNanos());
  }

  /** Returns whether it lets only one request pass now and then. */
  public boolean onTrial() {
    return state.get().trialNanos() > 0;
  }

  /** Has a request pass; returns false when it may not now. */
  public boolean pass(long now) {
    while (true) {
      State current = state.get();
      if (current.fromNanos() > now) {
        return false;
      }
      if (current.trialNanos() == 0
          || state.compareAndSet(
              current, new State(now + current.trialNanos(), current.trialNanos()))) {
        return true;
      }
    }
  }

  /** Takes back that a request passed at {@code now} on trial, because it will not be sent. */
  public void untried(long now) {
    State current = state.get();
    if (current.trialNanos() > 0 && current.fromNanos() == now + current.trialNanos()) {
      state.compareAndSet(current, new State(now, current.trialNanos()));
    }
  }

  /** Shuts it until an instant, or longer if it is shut for longer; on trial it stays on trial. */
  public void shut(long untilNanos) {
    state.updateAndGet(
        current -> new State(Math.max(current.fromNanos(), untilNanos), current.trialNanos()));
  }

  /**
   * Puts it on trial.
   *
   * @param fromNanos the instant of the first trial
   * @param trialNanos the least time between two, &gt; 0
   */
  public void tryFrom(long fromNanos, long trialNanos) {
    if (trialNanos <= 0) {
      throw new IllegalArgumentException("trialNanos is " + trialNanos + ", expected more than 0");
    }
    state.set(new State(fromNanos, trialNanos));
  }

  /** Opens it, whatever was said before. Whoever waits is to be woken by the caller. */
  public void open() {
    state.set(OPEN);
  }
}
