package io.penstock.endpoint;

import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tickets by an instant of each; those with the instant NEVER are left out. The first instant is
 * kept in a field, because each step asks for it. Only the owner of the queue may use it.
 */
final class Schedule {
  private final ToLongFunction<Pending> instant;
  private final TreeSet<Pending> tickets;
  private long firstNanos = Ticker.NEVER;

  /** Creates an empty schedule by an instant that never changes for a ticket. */
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

  /** Returns the first instant; NEVER when there is none. */
  long firstNanos() {
    return firstNanos;
  }

  /** Returns the first ticket with an instant at or before {@code until}, or null. */
  @Nullable Pending due(long until) {
    return tickets.isEmpty() || firstNanos > until ? null : tickets.first();
  }
}
