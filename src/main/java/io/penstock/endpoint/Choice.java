package io.penstock.endpoint;

import io.penstock.queue.Discipline;

/**
 * A ticket that can go now, and its route.
 *
 * @param held whether only the pace delays it: then it is not granted, but claims the quotas it
 *     waits for
 */
record Choice(Lane lane, Pending pending, Route route, boolean held) {
  /**
   * Returns whether this choice is preferred to the other: by the order of the tickets; for the
   * same ticket a route without delay by the pace, then the less used route.
   */
  boolean before(Choice other, Discipline<Pending> discipline, long now) {
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
