package io.penstock.dispatch;

import io.penstock.refusal.Refusal;

/** Receives the decisions of the dispatcher. */
public interface DispatchListener {
  void granted(ParkedTicket parkedTicket, TicketSettlement settlement);

  /** Called when a ticket was refused or expired, as its state says. */
  void refused(ParkedTicket parkedTicket, Refusal refusal);

  /** Called when a ticket no longer waits because its client went away. */
  void clientLeft(ParkedTicket parkedTicket, long now);
}
