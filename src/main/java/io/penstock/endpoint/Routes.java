package io.penstock.endpoint;

import io.penstock.queue.Bounds;
import io.penstock.queue.Discipline;
import io.penstock.refusal.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Source of the routes of an endpoint's tickets, and of the bounds within which they wait. */
interface Routes {
  /** Returns the routes a ticket can take; empty when no upstream serves it. */
  List<Route> of(Facing facing, long now);

  /** Returns the reason why there is no route for a model. */
  Reason noWay(@Nullable String model);

  Bounds bounds();

  int maxBlocked();

  int maxSkips();

  /** Creates the order in which tickets go, as configured. */
  Discipline<Pending> discipline();

  Runnable signal();
}
