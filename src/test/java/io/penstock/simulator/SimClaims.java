package io.penstock.simulator;

import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import org.jspecify.annotations.Nullable;

/**
 * A quota of the core, with the arrival number of the ticket that was last seen to have claimed it.
 */
final class SimClaims {
  final Quota quota;
  private final WaitList waitList;
  private @Nullable Long claimant;

  SimClaims(Quota quota) {
    this.quota = quota;
    this.waitList = quota.waitList();
  }

  boolean kept() {
    return waitList.isClaimed();
  }

  /**
   * Returns whether it is claimed for another ticket.
   *
   * @param paid whether the ticket keeps earlier charges while it waits
   */
  boolean keptFrom(long order, boolean paid) {
    return waitList.isClaimedForOther(order, paid);
  }

  /** Returns whether it is claimed for that ticket. */
  boolean keptFor(long order) {
    return waitList.claimedFor(order);
  }

  /**
   * Returns whether a ticket had claimed it when it went: a claim ends before its ticket is seen to
   * go.
   */
  boolean hadClaimed(long order) {
    return claimant != null && claimant == order;
  }

  @Nullable Long claimant() {
    return claimant;
  }

  /** Records its claimant, or null. */
  void claimedBy(@Nullable Long order) {
    claimant = order;
  }
}
