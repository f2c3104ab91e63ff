package io.penstock.endpoint;

import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whose time is up when. Tickets that wait for ever are not here. The first instant is at hand,
 * because it is asked for at each step. Belongs to the owner of the queue.
 */
final class Deadlines {
  private static final Comparator<Pending> IN_ORDER =
      (a, b) ->
          a.deadlineNanos() == b.deadlineNanos()
              ? Long.compare(a.order(), b.order())
              : Long.compare(a.deadlineNanos(), b.deadlineNanos());

  private final TreeSet<Pending> tickets = new TreeSet<>(IN_ORDER);
  private long firstNanos = Ticker.NEVER;

  void add(Pending pending) {
    if (pending.deadlineNanos() != Ticker.NEVER) {
      tickets.add(pending);
      firstNanos = Math.min(firstNanos, pending.deadlineNanos());
    }
  }

  void remove(Pending pending) {
    boolean was = pending.deadlineNanos() != Ticker.NEVER && tickets.remove(pending);
    if (was && pending.deadlineNanos() == firstNanos) {
      firstNanos = tickets.isEmpty() ? Ticker.NEVER : tickets.first().deadlineNanos();
    }
  }

  /** Returns the first deadline, NEVER when there is none. */
  long firstNanos() {
    return firstNanos;
  }

  /** Returns the first ticket whose deadline is not after {@code until}, or null. */
  @Nullable Pending due(long until) {
    return tickets.isEmpty() || firstNanos > until ? null : tickets.first();
  }
}
