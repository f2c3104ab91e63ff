package io.penstock.endpoint;

import io.penstock.queue.Bounds;
import io.penstock.queue.Discipline;
import io.penstock.refusal.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How tickets of this endpoint can go, and within which bounds they wait. */
interface Routes {
  /** The ways a ticket can go; empty when no upstream serves it. */
  List<Route> of(Facing facing, long now);

  /** Why there is no way for a model. */
  Reason noWay(@Nullable String model);

  Bounds bounds();

  int maxBlocked();

  int maxSkips();

  /** Makes the order tickets go in. */
  Discipline<Pending> discipline();

  Runnable signal();
}
