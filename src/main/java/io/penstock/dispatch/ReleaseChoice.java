package io.penstock.dispatch;

import io.penstock.queue.QueueDiscipline;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import java.util.Set;

/**
 * A ticket that can go now, and its route.
 *
 * @param onlyPaced whether only the pace delays it: then it is not granted, but claims the quotas
 *     it waits for
 */
record ReleaseChoice(Lane lane, ParkedTicket ticket, TicketRoute route, boolean onlyPaced) {
  /**
   * Returns whether this choice is preferred to the other: by the order of the tickets; for the
   * same ticket a route without delay by the pace, then the route that it takes first.
   */
  boolean before(ReleaseChoice other, QueueDiscipline<ParkedTicket> discipline, long now) {
    if (ticket != other.ticket) {
      return discipline.precedes(ticket, other.ticket);
    }
    if (onlyPaced != other.onlyPaced) {
      return other.onlyPaced;
    }
    return route.precedes(other.route, ticket, now);
  }

  /** How often each lane in a wait list is looked at when a ticket takes from the quota. */
  private static final int LOOKS = 2;

  /**
   * Returns whether no earlier ticket claims a quota of this route before the chosen one takes it;
   * if so, {@code skipped} gets the lanes it skips. All wait lists are asked before the answer: a
   * lane that waits for one quota may claim another, and may take over a claim that the chosen
   * ticket's own lane has just made.
   */
  boolean mayTake(Set<WaitList.Waiter> skipped, LookCount lookCount, long now) {
    boolean claimed = false;
    for (Quota quota : route.quotas()) {
      lookCount.add(quota.ofKey() ? 0 : LOOKS * quota.waitList().size());
      claimed |= !quota.ofKey() && quota.waitList().claimForUnskippable(lane, ticket, now);
    }
    if (route.isClaimedForOther(ticket) || (claimed && !lane.mayPass(ticket, route, now))) {
      return false;
    }
    for (Quota quota : route.quotas()) {
      if (!quota.ofKey()) {
        quota.waitList().addSkipped(lane, ticket, skipped);
      }
    }
    return true;
  }
}
