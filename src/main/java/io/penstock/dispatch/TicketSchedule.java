package io.penstock.dispatch;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tickets by an instant of each; those with the instant NEVER are left out. The first instant is
 * kept in a field, because each step asks for it. Only the owner of the queue may use it.
 */
final class TicketSchedule {
  private final ToLongFunction<ParkedTicket> instant;

  @SharedState("waiting tickets")
  private final TreeSet<ParkedTicket> tickets;

  private long firstNanos = Ticker.NEVER;

  /** Creates an empty schedule by an instant that never changes for a ticket. */
  TicketSchedule(ToLongFunction<ParkedTicket> instant) {
    this.instant = instant;
    this.tickets =
        new TreeSet<>(
            Comparator.comparingLong(instant)
                .thenComparingLong(parkedTicket -> parkedTicket.order()));
  }

  void add(ParkedTicket parkedTicket) {
    long at = instant.applyAsLong(parkedTicket);
    if (at != Ticker.NEVER) {
      tickets.add(parkedTicket);
      firstNanos = Math.min(firstNanos, at);
    }
  }

  void remove(ParkedTicket parkedTicket) {
    long at = instant.applyAsLong(parkedTicket);
    boolean was = at != Ticker.NEVER && tickets.remove(parkedTicket);
    if (was && at == firstNanos) {
      firstNanos = tickets.isEmpty() ? Ticker.NEVER : instant.applyAsLong(tickets.first());
    }
  }

  /** Returns the first instant; NEVER when there is none. */
  long firstNanos() {
    return firstNanos;
  }

  /** Passes on the tickets with an instant at or before {@code until}, in order. */
  void forEachDue(long until, Consumer<ParkedTicket> receiver) {
    if (firstNanos > until) {
      return;
    }
    for (ParkedTicket each : tickets) {
      if (instant.applyAsLong(each) > until) {
        return;
      }
      receiver.accept(each);
    }
  }

  /** Returns the first ticket with an instant at or before {@code until}, or null. */
  @Nullable ParkedTicket due(long until) {
    return tickets.isEmpty() || firstNanos > until ? null : tickets.first();
  }
}
