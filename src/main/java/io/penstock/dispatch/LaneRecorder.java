package io.penstock.dispatch;

import java.util.List;

/** Records why the tickets of one lane wait. Only the owner of the queue calls it. */
public interface LaneRecorder {
  /** Called when no ticket of the lane can go; {@code first} is the first of them. */
  void blocked(ParkedTicket first, List<TicketRoute> routes, long now);

  /** Called with a ticket that is about to be granted. */
  void goes(ParkedTicket ticket, List<TicketRoute> routes, long now);
}
