package io.penstock.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * Deadlines of tickets: when each may wait no longer, and when fallback models may serve it. Only
 * the owner of the queue may use it.
 */
final class TicketDeadlines {
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
