package io.penstock.endpoint;

import io.penstock.queue.Discipline;
import io.penstock.queue.Order;
import io.penstock.queue.Sizes;
import io.penstock.quota.Quota;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Estimates how long a ticket that has just arrived will wait if everything ahead of it goes first.
 * Only the owner of the queue may use it.
 */
final class Outlook {
  private final Pending arrived;
  private final Discipline<Pending> discipline;
  private final Collection<Lane> lanes;
  private final Backlog queued;
  private final Overflow overflow;

  private Outlook(
      Pending arrived,
      Discipline<Pending> discipline,
      Collection<Lane> lanes,
      Backlog queued,
      Overflow overflow) {
    this.arrived = arrived;
    this.discipline = discipline;
    this.lanes = lanes;
    this.queued = queued;
    this.overflow = overflow;
  }

  /**
   * Returns the estimated wait in nanoseconds until the best route admits the ticket. 0 when the
   * estimate is not needed, because nothing refuses by it, or when it cannot be made in this order.
   */
  static long waitNanos(
      Pending arrived,
      List<Route> ways,
      Discipline<Pending> discipline,
      Lanes lanes,
      Backlog queued,
      Overflow overflow,
      long now) {
    return arrived.refusesAboveNanos() == 0 || !discipline.foreseeable()
        ? 0
        : new Outlook(arrived, discipline, lanes.all(), queued, overflow).wait(ways, now);
  }

  private long wait(List<Route> ways, long now) {
    Backlog before = ahead();
    long best = Long.MAX_VALUE;
    for (Route route : ways) {
      best = Math.min(best, wait(route, before, now));
    }
    return best;
  }

  private long wait(Route route, Backlog before, long now) {
    Sizes own = new Sizes();
    own.set(arrived);
    Sizes ahead = new Sizes();
    long wait = 0;
    for (Quota quota : route.quotas()) {
      boolean ofAll = quota == route.pool() || quota == route.quotas().getLast();
      Backlog competing = ofAll ? before : ahead(quota);
      competing.into(ahead);
      wait = Math.max(wait, quota.forecast(competing.tickets(), ahead, own, now));
    }
    return wait;
  }

  /** Returns the sums of the tickets that will go before it. */
  private Backlog ahead() {
    Backlog ahead = new Backlog();
    if (discipline.order() == Order.FIFO) {
      ahead.add(queued);
      ahead.add(overflow.backlog());
    } else {
      lanes.forEach(lane -> lane.tickets().ahead(arrived, ahead::add));
      overflow.forEach(
          each -> {
            if (discipline.precedes(each, arrived)) {
              ahead.add(each);
            }
          });
    }
    return ahead;
  }

  /**
   * Returns the sums of those among them that face {@code quota}, which not all tickets of this
   * endpoint do.
   */
  @SuppressWarnings("ReferenceEquality") // accounts are compared by identity
  private Backlog ahead(Quota quota) {
    Backlog ahead = new Backlog();
    for (Lane lane : lanes) {
      if (lane.faces(quota)) {
        lane.tickets().ahead(arrived, ahead::add);
      }
    }
    overflow.forEach(
        each -> {
          boolean same = Objects.equals(arrived.facing.account(), each.facing.account());
          if (same && discipline.precedes(each, arrived)) {
            ahead.add(each);
          }
        });
    return ahead;
  }
}
