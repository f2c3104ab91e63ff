package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.QueueOrder;
import io.penstock.quota.Quota;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Estimates how long a ticket that has just arrived will wait if everything ahead of it goes first.
 * Only the owner of the queue may use it.
 */
final class WaitEstimate {
  private final ParkedTicket arrived;
  private final QueueDiscipline<ParkedTicket> discipline;
  private final Collection<Lane> lanes;
  private final QueueBacklog queued;
  private final QueueOverflow overflow;

  private WaitEstimate(
      ParkedTicket arrived,
      QueueDiscipline<ParkedTicket> discipline,
      Collection<Lane> lanes,
      QueueBacklog queued,
      QueueOverflow overflow) {
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
      ParkedTicket arrived,
      List<TicketRoute> routes,
      QueueDiscipline<ParkedTicket> discipline,
      LaneIndex laneIndex,
      QueueBacklog queued,
      QueueOverflow overflow,
      long now) {
    return arrived.refusesAboveNanos() == 0 || !discipline.foreseeable()
        ? 0
        : new WaitEstimate(arrived, discipline, laneIndex.all(), queued, overflow)
            .wait(routes, now);
  }

  private long wait(List<TicketRoute> routes, long now) {
    QueueBacklog before = ahead();
    long best = Long.MAX_VALUE;
    for (TicketRoute ticketRoute : routes) {
      best = Math.min(best, wait(ticketRoute, before, now));
    }
    return best;
  }

  private long wait(TicketRoute ticketRoute, QueueBacklog before, long now) {
    DimensionSizes own = new DimensionSizes();
    arrived.sizesInto(own);
    DimensionSizes ahead = new DimensionSizes();
    long wait = 0;
    for (Quota quota : ticketRoute.quotas()) {
      boolean ofAll = quota == ticketRoute.pool() || quota == ticketRoute.quotas().getLast();
      QueueBacklog competing = ofAll ? before : ahead(quota);
      competing.into(ahead);
      wait = Math.max(wait, quota.forecastNanos(competing.tickets(), ahead, own, now));
    }
    return wait;
  }

  /** Returns the sums of the tickets that will go before it. */
  private QueueBacklog ahead() {
    QueueBacklog ahead = new QueueBacklog();
    if (discipline.order() == QueueOrder.FIFO) {
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
  private QueueBacklog ahead(Quota quota) {
    QueueBacklog ahead = new QueueBacklog();
    for (Lane lane : lanes) {
      if (lane.faces(quota)) {
        lane.tickets().ahead(arrived, ahead::add);
      }
    }
    overflow.forEach(
        each -> {
          boolean same = Objects.equals(arrived.laneKey().account(), each.laneKey().account());
          if (same && discipline.precedes(each, arrived)) {
            ahead.add(each);
          }
        });
    return ahead;
  }
}
