package io.penstock.dispatch;

import io.penstock.event.Event;
import io.penstock.refusal.Refusal;

/**
 * The endpoint of a ticket, as far as the ticket and its settlement report to it. Safe from any
 * thread.
 */
public interface TicketListener {
  /** Returns the path of the endpoint. */
  String path();

  /** Called when the client of a ticket went away before the outcome was taken. */
  void cancel(ParkedTicket ticket);

  /** Called to refuse a ticket that still waits. */
  void refuse(ParkedTicket ticket, Refusal refusal);

  /** Called with an outcome that nobody will take, because the client went away. */
  void abandoned(TicketOutcome outcome);

  /** Called when a granted ticket was settled. */
  void settled(ParkedTicket ticket, TicketFate fate);

  /** Called when a granted ticket was not served. */
  void failed(ParkedTicket ticket, Refusal refusal, long now);

  /** Called with the tokens that a granted ticket really used. */
  void usageKnown(ParkedTicket ticket, long tokens);

  /** Makes the request of a granted ticket wait again, as {@code next}, which is returned. */
  ParkedTicket requeue(ParkedTicket ticket, ParkedTicket next);

  /** Cancels the ticket of a shadow; no effect once it was decided. */
  void withdraw(ParkedTicket shadow);

  /** Returns the grants of requests in shadow mode. */
  ShadowGrants shadows();

  /** Publishes an event about a ticket. */
  void publish(Event event);
}
