package io.penstock.dispatch;

import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines of tickets: when each may wait no longer, and when fallback models may serve it. Only
 * the owner of the queue may use it.
 */
final class TicketDeadlines {
  /**
   * Tickets by an instant of each; those with the instant NEVER are left out. The first instant is
   * kept in a field, because each step asks for it. Only the owner of the queue may use it.
   */
  private static final class TicketSchedule {
    private final ToLongFunction<ParkedTicket> instant;
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

    /** Returns the first ticket with an instant at or before {@code until}, or null. */
    @Nullable ParkedTicket due(long until) {
      return tickets.isEmpty() || firstNanos > until ? null : tickets.first();
    }
  }

  private final TicketSchedule ends = new TicketSchedule(ParkedTicket::deadlineNanos);
  private final TicketSchedule fallbacks = new TicketSchedule(ParkedTicket::fallbackNanos);

  void add(ParkedTicket parkedTicket) {
    ends.add(parkedTicket);
    fallbacks.add(parkedTicket);
  }

  void remove(ParkedTicket parkedTicket) {
    ends.remove(parkedTicket);
    fallbacks.remove(parkedTicket);
  }

  /** Returns the first instant of either kind; NEVER when there is none. */
  long firstNanos() {
    return Math.min(ends.firstNanos(), fallbacks.firstNanos());
  }

  /** Returns the first ticket with a deadline at or before {@code until}, or null. */
  @Nullable ParkedTicket due(long until) {
    return ends.due(until);
  }

  /**
   * Removes and returns the first ticket that fallback models may serve at {@code now}; null when
   * there is none.
   */
  @Nullable ParkedTicket widens(long now) {
    ParkedTicket parkedTicket = fallbacks.due(now);
    if (parkedTicket != null) {
      fallbacks.remove(parkedTicket);
    }
    return parkedTicket;
  }
}
