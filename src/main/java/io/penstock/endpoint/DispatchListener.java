package io.penstock.endpoint;

import io.penstock.refusal.Refusal;

/** Receives the decisions of the dispatcher. */
interface DispatchListener {
  void granted(ParkedTicket parkedTicket, TicketSettlement settlement);

  void refused(ParkedTicket parkedTicket, Refusal refusal);

  /** Called when a ticket no longer waits because its client went away. */
  void left(ParkedTicket parkedTicket, long now);

  void expired(ParkedTicket parkedTicket, Refusal refusal);
}
