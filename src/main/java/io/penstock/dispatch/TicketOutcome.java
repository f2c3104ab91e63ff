package io.penstock.dispatch;

import io.penstock.refusal.Refusal;

/** Outcome of a ticket. */
public sealed interface TicketOutcome {
  /** The ticket may go. The receiver must settle it exactly once, whatever happens. */
  record Granted(TicketSettlement settlement) implements TicketOutcome {}

  /** The ticket will not be served. */
  record Refused(Refusal refusal) implements TicketOutcome {}
}
