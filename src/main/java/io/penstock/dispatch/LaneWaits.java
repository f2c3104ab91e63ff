package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a lane, its entries in the wait lists of their quotas, and the claims of its
 * tickets there. Only the owner of the lane may use it, except for {@link #mayHaveClaim} and the
 * methods that claim, which are safe from any thread.
 */
final class LaneWaits {
  private final WaitList.Waiter waiter;
  private final Runnable whenClaimed;
  private final List<TicketRoute> routes;
  private final TicketRoute key;
  private volatile boolean mayHaveClaim;
  private volatile boolean withdrawn;

  /**
   * Creates the entries of {@code waiter}; it is in none of the wait lists yet.
   *
   * @param whenClaimed called on any thread when a ticket may have got a claim
   */
  LaneWaits(WaitList.Waiter waiter, List<TicketRoute> routes, Runnable whenClaimed) {
    this.waiter = waiter;
    this.whenClaimed = whenClaimed;
    this.routes = routes;
    this.key = TicketRoute.ofKey(routes);
  }

  List<TicketRoute> routes() {
    return routes;
  }

  /** Returns a route of only the quotas of the tickets' own key. */
  TicketRoute key() {
    return key;
  }

  /** Enters the wait lists of all quotas. */
  void join() {
    withdrawn = false;
    quotas(quota -> quota.waitList().join(waiter));
  }

  /**
   * Enters the wait lists of its own key's quotas and leaves all others, which cannot help it for
   * now.
   */
  void joinOwn() {
    withdrawn = false;
    quotas(
        quota -> {
          if (quota.ofKey()) {
            quota.waitList().join(waiter);
          } else {
            quota.waitList().leave(waiter);
          }
        });
  }

  void leave() {
    quotas(quota -> quota.waitList().leave(waiter));
  }

  /** Leaves all wait lists and ends all claims, until it joins again. */
  void withdraw() {
    withdrawn = true; // set first: a thread that claims meanwhile sees it
    leave();
    endClaims(claimant -> true);
  }

  /** Returns whether claims of its tickets are void. */
  boolean withdrawn() {
    return withdrawn;
  }

  private void quotas(Consumer<Quota> visitor) {
    for (TicketRoute ticketRoute : routes) {
      ticketRoute.quotas().forEach(visitor);
    }
  }

  /**
   * Returns the instant at which the first route without a claim opens for those sizes, pacing left
   * out.
   */
  long requestRoom(DimensionSizes dimensionSizes, long now) {
    long soonest = Long.MAX_VALUE;
    for (TicketRoute ticketRoute : routes) {
      soonest =
          ticketRoute.isClaimed(waiter.keepsCharges())
              ? soonest
              : Math.min(soonest, ticketRoute.requestRoom(dimensionSizes, now));
    }
    return soonest;
  }

  /**
   * Returns the ticket of this lane that has the claims on all claimed quotas of the route; null
   * when there is none.
   */
  @Nullable ParkedTicket keeper(TicketRoute ticketRoute) {
    Ticket kept = ticketRoute.claimedFor(waiter);
    boolean all = kept != null && !ticketRoute.isClaimedForOther(kept);
    return all && kept instanceof ParkedTicket parkedTicket && parkedTicket.queued()
        ? parkedTicket
        : null;
  }

  /** Returns whether its own key's quotas keep a ticket from going. */
  boolean keyHolds(ParkedTicket parkedTicket, long now) {
    if (key.quotas().isEmpty()) {
      return false;
    }
    DimensionSizes needed = new DimensionSizes();
    parkedTicket.sizesInto(needed);
    return !key.admits(needed, now);
  }

  /** Returns whether a ticket here may have a claim. Safe from any thread. */
  boolean mayHaveClaim() {
    return mayHaveClaim;
  }

  /** Notes that a ticket here has a claim. */
  void claimed() {
    mayHaveClaim = true;
    whenClaimed.run();
  }

  /** Ends the claims of those tickets here that match. */
  void endClaims(Predicate<ParkedTicket> which) {
    mayHaveClaim =
        false; // cleared before the search: a thread that claims meanwhile sets it after that
    quotas(
        quota -> {
          if (quota.waitList().claimedFor(waiter) instanceof ParkedTicket claimant) {
            if (which.test(claimant)) {
              quota.waitList().release(claimant);
            } else {
              mayHaveClaim = true;
            }
          }
        });
  }

  /**
   * Claims a quota for a ticket, unless another quota of the route is claimed by someone else: two
   * tickets with a claim each would wait for each other.
   */
  boolean claim(ParkedTicket parkedTicket, Quota quota, TicketRoute ticketRoute, long now) {
    parkedTicket.claimsForPace = false;
    if (!quota.waitList().claim(waiter, parkedTicket)) {
      return false;
    }
    claimed();
    // Checked after the claim: of two tickets that claim at once, at least one sees the other. A
    // ticket that was decided or left its lane meanwhile may have missed this claim when it ended
    // its others; then only this thread can end it.
    boolean waits =
        parkedTicket.state() == State.PARKED && waiter.hasWaiting(parkedTicket) && !withdrawn;
    if (!waits || ticketRoute.isClaimedForOther(parkedTicket) || keyHolds(parkedTicket, now)) {
      quota.waitList().release(parkedTicket);
      return false;
    }
    return true;
  }

  /**
   * Claims, for a ticket, the one quota it lacks; among several routes, the quota that will admit
   * it first. Returns that quota, or null when nothing was claimed.
   */
  @Nullable Quota claim(ParkedTicket parkedTicket, long now) {
    DimensionSizes needed = new DimensionSizes();
    parkedTicket.sizesInto(needed);
    Quota best = null;
    TicketRoute by = null;
    long soonest = Long.MAX_VALUE;
    for (TicketRoute ticketRoute : routes) {
      Quota lacking = ticketRoute.onlyLacking(needed, parkedTicket, now);
      if (lacking != null && lacking.waitList().claimedFor(parkedTicket.order())) {
        return null;
      }
      if (lacking != null && !lacking.waitList().isClaimed(parkedTicket.keepsCharges())) {
        long instant = lacking.requestAdmission(needed, now);
        if (best == null || instant < soonest) {
          best = lacking;
          by = ticketRoute;
          soonest = instant;
        }
      }
    }
    return best != null && by != null && claim(parkedTicket, best, by, now) ? best : null;
  }
}
