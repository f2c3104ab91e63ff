package io.penstock.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * When the time of whom is up: to wait at all, or to wait for its own model alone. Belongs to the
 * owner of the queue.
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

  /** Returns the first instant at which the time of any is up, NEVER when there is none. */
  long firstNanos() {
    return Math.min(ends.firstNanos(), fallbacks.firstNanos());
  }

  /** Returns the first ticket that may not wait beyond {@code until}, or null. */
  @Nullable Pending due(long until) {
    return ends.due(until);
  }

  /** Takes out the first ticket that other models may serve at {@code now}; null when none may. */
  @Nullable Pending widens(long now) {
    Pending pending = fallbacks.due(now);
    if (pending != null) {
      fallbacks.remove(pending);
    }
    return pending;
  }
}
