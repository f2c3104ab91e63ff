package io.penstock.dispatch;

import java.util.List;

/**
 * Records why tickets are not granted, or not sooner, for questions by operators. Only the owner of
 * the queue calls it.
 */
public interface WaitRecorder {
  /** Wait above which a ticket counts as having waited for long, in nanoseconds. */
  long LONG_NANOS = 1_000_000_000L;

  /** Returns whether a ticket has waited for long by now. */
  static boolean isLong(ParkedTicket ticket, long now) {
    return now - ticket.arrivedNanos() > LONG_NANOS;
  }

  /** Records a ticket that could not go whatever else happened, and is refused. */
  void recordHopeless(ParkedTicket ticket, List<TicketRoute> routes, long now);

  /**
   * Records why a ticket goes another way: none of the routes that it had takes requests.
   *
   * @param routes those routes
   */
  void recordDetour(ParkedTicket ticket, List<TicketRoute> routes, long now);

  /** Records a ticket that waits, or would have to, and does not go. */
  void recordWaiting(ParkedTicket ticket, List<TicketRoute> routes, long now);

  /** Notes that releases stop, or restart. */
  void pause(boolean stop, long now);

  /** Creates the recorder of one lane. */
  LaneRecorder lane();
}
