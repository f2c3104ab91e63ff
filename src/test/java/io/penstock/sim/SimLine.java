package io.penstock.sim;

import io.penstock.quota.Line;
import io.penstock.quota.Quota;
import org.jspecify.annotations.Nullable;

/** A quota of the core, with the ticket that was last seen to have claimed it. */
final class SimLine {
  final Quota quota;
  private final Line line;
  private @Nullable SimTicket claimant;

  SimLine(Quota quota) {
    this.quota = quota;
    this.line = quota.line();
  }

  boolean kept() {
    return line.kept();
  }

  boolean keptFrom(SimTicket ticket) {
    return line.keptFrom(ticket.order, ticket.facing.paid());
  }

  /** Returns whether it is claimed for that ticket. */
  boolean keptFor(SimTicket ticket) {
    return line.keptFor(ticket.order);
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
