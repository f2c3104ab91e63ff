package io.penstock.explain;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.TicketRoute;
import java.util.List;

/**
 * One waiting ticket at an instant.
 *
 * @param queue the snapshot of its queue
 * @param ticket the ticket
 * @param routes the routes it can take
 * @param blocked whether it waits for a place in the queue
 * @param undecided whether its caller is not charged yet
 */
public record WaitingTicket(
    QueueSnapshot queue,
    ParkedTicket ticket,
    List<TicketRoute> routes,
    boolean blocked,
    boolean undecided)
    implements TicketRecord {
  /** Returns when it was taken. */
  public long nanos() {
    return queue.nanos();
  }

  /** Returns the ticket, its place, and how long it will wait. */
  public QueuePlace place() {
    return queue.placeOf(ticket);
  }

  /** Returns what blocks it. */
  public WaitExplanation explanation() {
    // Its caller is charged before anything else is checked.
    return undecided
        ? WaitExplainer.denied(ticket, nanos())
        : WaitReasons.withQueueCause(
            WaitExplainer.of(ticket, routes, nanos()), queue.paused(), blocked);
  }
}
