package io.penstock.dispatch;

import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueDiscipline;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Source of the routes of an endpoint's tickets, and of the bounds within which they wait. */
public interface RouteSource {
  /** Returns the routes a ticket can take; empty when no upstream serves it. */
  List<TicketRoute> of(LaneKey laneKey, long now);

  /** Returns the id of the only upstream that a request may go to now, or null for any. */
  @Nullable String keptTo(TicketRequest ticketRequest, long now);

  /** Returns the reason why there is no route for a model. */
  RefusalReason noRouteReason(@Nullable String model);

  QueueBounds bounds();

  int maxBlocked();

  int maxSkips();

  /** Creates the order in which tickets go, as configured. */
  QueueDiscipline<ParkedTicket> discipline();

  Runnable signal();
}
