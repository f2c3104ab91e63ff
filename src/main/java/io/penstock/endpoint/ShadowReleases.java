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
 * Lets the requests of a shadow endpoint go at once, whatever its limits say, and has a {@link
 * Shadow} of each meet the limits. Limits are not asked where a request goes, but upstreams that
 * take nothing are left out: those that are unhealthy, paused or out for their day. Safe from any
 * thread.
 */
final class ShadowReleases {
  private final Books books;
  private final Routes routes;
  private final Supplier<@Nullable Refusal> closed;
  private final ObjLongConsumer<Pending> decide;

  /**
   * Makes those of an endpoint.
   *
   * @param closed the refusal of all who come, or null
   * @param decide has a shadow meet the limits
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

  /** Lets a request go that has come, or refuses it where no upstream serves it. */
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
   * Returns the way of a request that is to go again: to another upstream than the one it avoids,
   * if one is open. Null when none is: then it does not go again, because nothing waits here.
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

  /** Lets a request go again for which {@link #again} found a way. */
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

  /** Returns the least used way that is open, or null. On trial an upstream is open to one only. */
  private static @Nullable Route open(List<Route> ways, Pending pending, long now) {
    List<Route> open = new ArrayList<>(ways);
    open.removeIf(way -> !way.open(now));
    while (!open.isEmpty()) {
      Route least = Route.leastUsed(open, pending, now);
      Upstream upstream = least.upstream();
      if (upstream == null || upstream.health().pass(now)) {
        return least;
      }
      open.remove(least); // somebody else was faster
    }
    return null;
  }

  /** Returns the way of one that goes though none is open: to one that is healthy, if there is. */
  private static Route leastBad(List<Route> ways, Pending pending, long now) {
    List<Route> best = ways.stream().filter(way -> !way.onTrial()).toList();
    if (best.isEmpty()) {
      long soonest = ways.stream().mapToLong(way -> way.gateOpens(now)).min().orElse(now);
      best = ways.stream().filter(way -> way.gateOpens(now) == soonest).toList();
    }
    return Route.leastUsed(best, pending, now);
  }
}
