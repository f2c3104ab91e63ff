package io.penstock.endpoint;

import io.penstock.queue.Discipline;

/**
 * A ticket that can go now, and how.
 *
 * @param held whether only the pace holds it back: it does not go, but claims what it waits for
 */
record Choice(Lane lane, Pending pending, Route route, boolean held) {
  /** Whether it is to be preferred: by the order, then by the way that is used least. */
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
