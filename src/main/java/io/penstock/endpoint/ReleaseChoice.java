package io.penstock.endpoint;

import io.penstock.queue.QueueDiscipline;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import java.util.Set;

/**
 * A ticket that can go now, and its route.
 *
 * @param held whether only the pace delays it: then it is not granted, but claims the quotas it
 *     waits for
 */
record ReleaseChoice(Lane lane, ParkedTicket pending, TicketRoute route, boolean held) {
  /**
   * Returns whether this choice is preferred to the other: by the order of the tickets; for the
   * same ticket a route without delay by the pace, then the less used route.
   */
  boolean before(ReleaseChoice other, QueueDiscipline<ParkedTicket> discipline, long now) {
    if (pending != other.pending) {
      return discipline.precedes(pending, other.pending);
    }
    if (held != other.held) {
      return other.held;
    }
    int used = Double.compare(route.utilization(now), other.route.utilization(now));
    return used != 0 ? used < 0 : route.score(pending) > other.route.score(pending);
  }

  /**
   * Returns whether no earlier ticket claims a quota of this route before the chosen one takes it;
   * if so, {@code skipped} gets the lanes it skips. All wait lists are asked before the answer: a
   * lane that waits for one quota may claim another, and may take over a claim that the chosen
   * ticket's own lane has just made.
   */
  boolean yields(Set<WaitList.Waiter> skipped, long now) {
    boolean claimed = false;
    for (Quota quota : route.quotas()) {
      claimed |= !quota.personal() && quota.line().ask(lane, pending, now);
    }
    if (route.keptFrom(pending) || (claimed && !lane.passes(pending, route, now))) {
      return false;
    }
    for (Quota quota : route.quotas()) {
      if (!quota.personal()) {
        quota.line().skipped(lane, pending, skipped);
      }
    }
    return true;
  }
}
