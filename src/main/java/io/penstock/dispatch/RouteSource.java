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

  /**
   * Returns the id of the upstream to which affinity keeps requests for a model now, or null for
   * any.
   */
  @Nullable String keptTo(TicketRequest.RequestAffinity affinity, @Nullable String model, long now);

  /** Returns the reason why there is no route for a model. */
  RefusalReason noRouteReason(@Nullable String model);

  QueueBounds bounds();

  int maxBlocked();

  int maxSkips();

  /** Creates the order in which tickets go, as configured. */
  QueueDiscipline<ParkedTicket> discipline();

  Runnable signal();
}
