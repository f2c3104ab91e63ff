package io.penstock.endpoint;

import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tickets by an instant of theirs; those whose instant never comes are not here. The first instant
 * is at hand, because it is asked for at each step. Belongs to the owner of the queue.
 */
final class Schedule {
  private final ToLongFunction<Pending> instant;
  private final TreeSet<Pending> tickets;
  private long firstNanos = Ticker.NEVER;

  /** Makes an empty set of tickets by an instant of theirs that never changes. */
  Schedule(ToLongFunction<Pending> instant) {
    this.instant = instant;
    this.tickets =
        new TreeSet<>(
            Comparator.comparingLong(instant).thenComparingLong(pending -> pending.order()));
  }

  void add(Pending pending) {
    long at = instant.applyAsLong(pending);
    if (at != Ticker.NEVER) {
      tickets.add(pending);
      firstNanos = Math.min(firstNanos, at);
    }
  }

  void remove(Pending pending) {
    long at = instant.applyAsLong(pending);
    boolean was = at != Ticker.NEVER && tickets.remove(pending);
    if (was && at == firstNanos) {
      firstNanos = tickets.isEmpty() ? Ticker.NEVER : instant.applyAsLong(tickets.first());
    }
  }

  /** Returns the first instant, NEVER when there is none. */
  long firstNanos() {
    return firstNanos;
  }

  /** Returns the first ticket whose instant is not after {@code until}, or null. */
  @Nullable Pending due(long until) {
    return tickets.isEmpty() || firstNanos > until ? null : tickets.first();
  }
}
