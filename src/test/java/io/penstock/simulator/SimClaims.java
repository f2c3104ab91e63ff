package io.penstock.simulator;

import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import org.jspecify.annotations.Nullable;

/** A quota of the core, with the ticket that was last seen to have claimed it. */
final class SimClaims {
  final Quota quota;
  private final WaitList waitList;
  private @Nullable SimTicket claimant;

  SimClaims(Quota quota) {
    this.quota = quota;
    this.waitList = quota.line();
  }

  boolean kept() {
    return waitList.kept();
  }

  boolean keptFrom(SimTicket ticket) {
    return waitList.keptFrom(ticket.order, ticket.facing.paid());
  }

  /** Returns whether it is claimed for that ticket. */
  boolean keptFor(SimTicket ticket) {
    return waitList.keptFor(ticket.order);
  }

  /**
   * Returns whether a ticket had claimed it when it went: a claim ends before its ticket is seen to
   * go.
   */
  boolean hadClaimed(SimTicket ticket) {
    return claimant == ticket;
  }

  @Nullable SimTicket claimant() {
    return claimant;
  }

  /** Records its claimant, or null. */
  void claimedBy(@Nullable SimTicket ticket) {
    claimant = ticket;
  }
}
