package io.penstock.endpoint;

import io.penstock.queue.QueueDiscipline;

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
}
