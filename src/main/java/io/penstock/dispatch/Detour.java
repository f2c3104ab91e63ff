package io.penstock.dispatch;

import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds another way for a ticket when none of its routes takes requests: their upstreams are
 * unhealthy, disabled or out for the day. If affinity alone kept it to its upstream, affinity
 * chooses again. If no upstream of its own model takes requests, its fallback models may serve it
 * without further delay. A ticket that only one upstream can serve stays with that one.
 */
public final class Detour {
  private Detour() {}

  /**
   * Returns the lane key under which a ticket waits from now on, or null when it keeps its own: one
   * of its routes takes requests, or it may go nowhere else.
   *
   * @param routes the routes that the ticket has
   * @param away whether a route takes no requests for a while
   */
  public static @Nullable LaneKey of(
      ParkedTicket parkedTicket,
      List<TicketRoute> routes,
      RouteSource routeSource,
      Predicate<TicketRoute> away,
      long now) {
    if (!routes.stream().allMatch(away)) {
      return null;
    }
    LaneKey own = parkedTicket.laneKey();
    LaneKey next = own;
    if (own.byAffinity()) {
      String chosen = routeSource.keptTo(parkedTicket.affinity(), parkedTicket.model(), now);
      next = own.keptTo(chosen);
      if (!routeSource.of(next, now).stream().allMatch(away)) {
        return next;
      }
      next = own.onlyTo(null); // it goes to the first that recovers
    }
    if (!next.withFallbacks() && parkedTicket.fallbackNanos() != Ticker.NEVER) {
      next = next.widened();
    }
    return next.equals(own) ? null : next;
  }
}
