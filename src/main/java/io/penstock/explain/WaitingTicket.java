package io.penstock.explain;

import io.penstock.dispatch.Dispatcher;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.TicketRoute;
import java.util.List;

/**
 * One waiting ticket at an instant. The owner of the queue only takes it; the conclusions are drawn
 * on the thread that asked.
 */
public final class WaitingTicket implements TicketRecord {
  private final ParkedTicket parkedTicket;
  private final QueueSnapshot queueSnapshot;
  private final List<TicketRoute> routes;
  private final boolean paused;
  private final boolean blocked;
  private final boolean undecided;

  private WaitingTicket(
      ParkedTicket parkedTicket,
      QueueSnapshot queueSnapshot,
      List<TicketRoute> routes,
      boolean paused) {
    this.parkedTicket = parkedTicket;
    this.queueSnapshot = queueSnapshot;
    this.routes = routes;
    this.paused = paused;
    this.blocked = parkedTicket.blocked();
    this.undecided = !parkedTicket.waits();
  }

  public static WaitingTicket of(Dispatcher dispatcher, ParkedTicket parkedTicket, long now) {
    return new WaitingTicket(
        parkedTicket,
        QueueSnapshot.of(dispatcher, QueueSnapshot.FARTHEST, parkedTicket, now),
        dispatcher.waitingRoom().routesOf(parkedTicket, now),
        dispatcher.paused());
  }

  /** Returns when it was taken. */
  public long nanos() {
    return queueSnapshot.nanos();
  }

  /** Returns the ticket, its place, and how long it will wait. */
  public QueuePlace place() {
    return queueSnapshot.of(parkedTicket);
  }

  /** Returns what blocks it. */
  public WaitExplanation explanation() {
    // Its caller is charged before anything else is checked.
    return undecided
        ? WaitExplainer.denied(parkedTicket, nanos())
        : WaitReasons.withQueueCause(
            WaitExplainer.of(parkedTicket, routes, nanos()), paused, blocked);
  }
}
