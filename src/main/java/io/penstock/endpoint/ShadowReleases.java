package io.penstock.endpoint;

import io.penstock.pool.Upstream;
import io.penstock.queue.Ticket.State;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Grants the requests of an endpoint in shadow mode at once, whatever its limits say, and sends a
 * {@link Shadow} of each through the limits. Routes need no room in their limits, but upstreams
 * that take no requests are avoided: those that are unhealthy, paused or out of requests for their
 * day. Safe from any thread.
 */
final class ShadowReleases {
  private final Books books;
  private final Routes routes;
  private final Supplier<@Nullable Refusal> closed;
  private final ObjLongConsumer<Pending> decide;

  /**
   * Creates the releases of an endpoint.
   *
   * @param closed returns the refusal of all requests, or null
   * @param decide sends a shadow's ticket through the limits
   */
  ShadowReleases(
      Books books,
      Routes routes,
      Supplier<@Nullable Refusal> closed,
      ObjLongConsumer<Pending> decide) {
    this.books = books;
    this.routes = routes;
    this.closed = closed;
    this.decide = decide;
  }

  /** Grants a new request at once, or refuses it when no upstream serves it. */
  void release(Pending pending, Ask ask, long now) {
    List<Route> ways = routes.of(pending.facing, now);
    Refusal all = closed.get();
    Refusal refusal = all == null ? Admission.noWay(ways, routes, pending) : all;
    if (refusal != null) {
      books.turnAway(pending, refusal);
      return;
    }
    Route open = open(ways, pending, now);
    Shadow shadow = new Shadow(pending, ask);
    go(pending, open == null ? leastBad(ways, pending, now) : open, shadow, now);
    books.brought(shadow.ticket());
    decide.accept(shadow.ticket(), now);
  }

  /**
   * Returns the route of a request that is to be tried again: an open one that avoids its previous
   * upstream, else any open one. Null when none is open: then the request is not tried again,
   * because nothing waits here.
   */
  @Nullable Route again(Pending next, long now) {
    if (closed.get() != null) {
      return null;
    }
    Route elsewhere = open(routes.of(next.facing, now), next, now);
    return elsewhere == null && next.facing.not() != null
        ? open(routes.of(next.facing.avoidingNone(), now), next, now)
        : elsewhere;
  }

  /** Grants another attempt of a request on the route that {@link #again} returned. */
  void release(Pending before, Pending next, Route way, Shadow shadow, long now) {
    books.returned(before);
    go(next, way, shadow, now);
  }

  private void go(Pending pending, Route way, Shadow shadow, long now) {
    Settlement settlement = new Settlement(pending, way, shadow, now);
    pending.decide(State.GRANTED);
    books.enterGranted(pending, settlement);
    pending.deliver(new Outcome.Granted(settlement));
  }

  /**
   * Returns the least used open route, or null. An upstream on trial is open to one request only.
   */
  private static @Nullable Route open(List<Route> ways, Pending pending, long now) {
    List<Route> open = new ArrayList<>(ways);
    open.removeIf(way -> !way.open(now));
    while (!open.isEmpty()) {
      Route least = Route.leastUsed(open, pending, now);
      Upstream upstream = least.upstream();
      if (upstream == null || upstream.health().pass(now)) {
        return least;
      }
      open.remove(least); // another request was faster
    }
    return null;
  }

  /** Returns a route though none is open: to a healthy upstream if there is one. */
  private static Route leastBad(List<Route> ways, Pending pending, long now) {
    List<Route> best = ways.stream().filter(way -> !way.onTrial()).toList();
    if (best.isEmpty()) {
      long soonest = ways.stream().mapToLong(way -> way.gateOpens(now)).min().orElse(now);
      best = ways.stream().filter(way -> way.gateOpens(now) == soonest).toList();
    }
    return Route.leastUsed(best, pending, now);
  }
}
