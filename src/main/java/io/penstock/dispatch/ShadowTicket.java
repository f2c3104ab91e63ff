package io.penstock.dispatch;

import io.penstock.cost.TokenUsage;
import io.penstock.quota.CallerAccount;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The test run of a request in shadow mode, which is granted at once. A second ticket with the same
 * data goes through the limits in the request's place: it waits, is granted, or is refused. Its
 * charges are settled with the request's real usage once both have ended, in either order. Safe
 * from any thread.
 */
public final class ShadowTicket {
  private final @Nullable ParkedTicket ticket;
  private final ShadowGrants grants;
  private @Nullable TicketSettlement taken;
  private @Nullable CallEnd end;

  /**
   * Creates the shadow of a ticket; its own ticket has the same arrival number.
   *
   * @param grants grants further attempts of the request
   */
  public ShadowTicket(ParkedTicket of, TicketRequest ticketRequest, ShadowGrants grants) {
    this.grants = grants;
    this.ticket =
        new ParkedTicket(
            of.listener(), of.order(), ticketRequest, of.terms(), of.arrivedNanos(), this);
    ticket().setLaneKey(ticket().laneKey()); // it may go to any upstream, whatever that has cached
  }

  /** Creates that of a call that costs nothing: no ticket goes through the limits for it. */
  public ShadowTicket(ShadowGrants grants) {
    this.grants = grants;
    this.ticket = null;
  }

  /** Returns whether its call costs nothing. */
  boolean isLight() {
    return ticket == null;
  }

  /**
   * Returns the ticket that goes through the limits in the request's place; not to be asked of a
   * call that costs nothing.
   */
  public ParkedTicket ticket() {
    return Objects.requireNonNull(ticket);
  }

  /** Returns the grants of further attempts of the request. */
  ShadowGrants grants() {
    return grants;
  }

  /** Notes that the shadow's ticket was granted. */
  public void granted(TicketSettlement settlement, long now) {
    CallEnd ended;
    synchronized (this) {
      taken = settlement;
      ended = end;
    }
    if (ended != null) {
      settle(settlement, ended, now);
    }
  }

  /** Charges the output that the request's answer has produced so far. */
  void produced(long outputTokens, long now) {
    TicketSettlement settlement = settlement();
    if (settlement != null) {
      settlement.produced(outputTokens, now);
    }
  }

  /** Settles the input that the request's answer states. */
  void inputStated(TokenUsage tokenUsage, long now) {
    TicketSettlement settlement = settlement();
    if (settlement != null) {
      settlement.inputStated(tokenUsage, now);
    }
  }

  private synchronized @Nullable TicketSettlement settlement() {
    return taken;
  }

  /** Cancels the shadow's ticket: the client has gone and would not have waited longer. */
  void cancelled() {
    if (ticket != null) {
      ticket.cancel();
    }
  }

  /** Notes that the request has ended. */
  void ended(CallEnd callEnd, long now) {
    TicketSettlement settlement;
    synchronized (this) {
      end = callEnd;
      settlement = taken;
    }
    if (settlement != null) {
      settle(settlement, callEnd, now);
    }
  }

  /** Notes that the request has ended without having run; the shadow's ticket stops waiting. */
  void returned(long now) {
    ended(CallEnd.UNSENT, now);
    cancelled();
  }

  private void settle(TicketSettlement settlement, CallEnd how, long now) {
    settlement.settle(how, now);
    CallerAccount callerAccount = ticket().account();
    if (callerAccount != null) {
      callerAccount.leave();
    }
  }
}
