package io.penstock.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * Deadlines of tickets: when each may wait no longer, and when fallback models may serve it. Only
 * the owner of the queue may use it.
 */
final class Deadlines {
  private final Schedule ends = new Schedule(Pending::deadlineNanos);
  private final Schedule fallbacks = new Schedule(Pending::fallbackNanos);

  void add(Pending pending) {
    ends.add(pending);
    fallbacks.add(pending);
  }

  void remove(Pending pending) {
    ends.remove(pending);
    fallbacks.remove(pending);
  }

  /** Returns the first instant of either kind; NEVER when there is none. */
  long firstNanos() {
    return Math.min(ends.firstNanos(), fallbacks.firstNanos());
  }

  /** Returns the first ticket with a deadline at or before {@code until}, or null. */
  @Nullable Pending due(long until) {
    return ends.due(until);
  }

  /**
   * Removes and returns the first ticket that fallback models may serve at {@code now}; null when
   * there is none.
   */
  @Nullable Pending widens(long now) {
    Pending pending = fallbacks.due(now);
    if (pending != null) {
      fallbacks.remove(pending);
    }
    return pending;
  }
}
