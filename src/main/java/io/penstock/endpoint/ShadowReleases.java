package io.penstock.endpoint;

import io.penstock.dispatch.AdmissionCheck;
import io.penstock.dispatch.Detour;
import io.penstock.dispatch.LaneKey;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RouteSource;
import io.penstock.dispatch.ShadowGrants;
import io.penstock.dispatch.ShadowTicket;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketRoute;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamReadiness;
import io.penstock.queue.Ticket.State;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Grants requests at once: all of an endpoint in shadow mode, and elsewhere calls that cost
 * nothing. In shadow mode a {@link ShadowTicket} of each goes through the limits. Routes need no
 * room in their limits, but upstreams that take no requests are avoided: those that are unhealthy,
 * paused or out of requests for their day. Safe from any thread.
 */
final class ShadowReleases implements ShadowGrants {
  private final TicketAccounting ticketAccounting;
  private final RouteSource routeSource;
  private final Supplier<@Nullable Refusal> closed;
  private final ObjLongConsumer<ParkedTicket> decide;

  /**
   * Creates the releases of an endpoint.
   *
   * @param closed returns the refusal of all requests, or null
   * @param decide sends a shadow's ticket through the limits
   */
  ShadowReleases(
      TicketAccounting ticketAccounting,
      RouteSource routeSource,
      Supplier<@Nullable Refusal> closed,
      ObjLongConsumer<ParkedTicket> decide) {
    this.ticketAccounting = ticketAccounting;
    this.routeSource = routeSource;
    this.closed = closed;
    this.decide = decide;
  }

  /** Grants a new request at once, or refuses it when no upstream serves it. */
  void release(ParkedTicket parkedTicket, TicketRequest ticketRequest, long now) {
    List<TicketRoute> routes = routeSource.of(parkedTicket.laneKey(), now);
    LaneKey detour =
        Detour.of(
            parkedTicket,
            routes,
            routeSource,
            route -> route.upstreamReadiness(now).away(now),
            now);
    if (detour != null) {
      parkedTicket.setLaneKey(detour);
      routes = routeSource.of(detour, now);
    }
    Refusal all = closed.get();
    Refusal refusal = all == null ? AdmissionCheck.noRoute(routes, routeSource, parkedTicket) : all;
    if (refusal != null) {
      ticketAccounting.turnAway(parkedTicket, refusal);
      return;
    }
    TicketRoute open = open(routes, parkedTicket, now);
    ShadowTicket shadowTicket = new ShadowTicket(parkedTicket, ticketRequest, this);
    go(parkedTicket, open == null ? leastBad(routes, parkedTicket, now) : open, shadowTicket, now);
    ticketAccounting.brought(shadowTicket.ticket());
    decide.accept(shadowTicket.ticket(), now);
  }

  /** Grants a call that costs nothing at once, or refuses it when no upstream takes it now. */
  void releaseLight(ParkedTicket parkedTicket, long now) {
    List<TicketRoute> routes = routeSource.of(parkedTicket.laneKey(), now);
    LaneKey detour =
        Detour.of(parkedTicket, routes, routeSource, route -> route.gatesOpenAt(now) > now, now);
    if (detour != null) {
      parkedTicket.setLaneKey(detour);
      routes = routeSource.of(detour, now);
    }
    Refusal all = closed.get();
    Refusal refusal = all == null ? AdmissionCheck.noRoute(routes, routeSource, parkedTicket) : all;
    List<TicketRoute> open = new ArrayList<>(routes);
    open.removeIf(route -> route.gatesOpenAt(now) > now);
    TicketRoute first = refusal == null ? passed(open, parkedTicket, now) : null;
    if (first == null) {
      ticketAccounting.turnAway(
          parkedTicket, refusal == null ? AdmissionCheck.shut(routes, now) : refusal);
    } else {
      go(parkedTicket, first, new ShadowTicket(this), now);
    }
  }

  /**
   * Returns the route of a request that is to be tried again: an open one that avoids its previous
   * upstream, else any open one. Null when none is open: then the request is not tried again,
   * because nothing waits here.
   */
  @Override
  public @Nullable TicketRoute retryRoute(ParkedTicket next, long now) {
    if (closed.get() != null) {
      return null;
    }
    TicketRoute elsewhere = open(routeSource.of(next.laneKey(), now), next, now);
    return elsewhere == null && !next.laneKey().avoidedUpstreams().isEmpty()
        ? open(routeSource.of(next.laneKey().avoidingNone(), now), next, now)
        : elsewhere;
  }

  /** Grants another attempt of a request on the route that {@link #retryRoute} returned. */
  @Override
  public void release(
      ParkedTicket before,
      ParkedTicket next,
      TicketRoute route,
      ShadowTicket shadowTicket,
      long now) {
    ticketAccounting.returned(before);
    go(next, route, shadowTicket, now);
  }

  private void go(
      ParkedTicket parkedTicket, TicketRoute route, ShadowTicket shadowTicket, long now) {
    TicketSettlement settlement = new TicketSettlement(parkedTicket, route, shadowTicket, now);
    parkedTicket.decide(State.GRANTED);
    ticketAccounting.enterGranted(parkedTicket, settlement);
    parkedTicket.deliver(new TicketOutcome.Granted(settlement));
  }

  private static @Nullable TicketRoute open(
      List<TicketRoute> routes, ParkedTicket parkedTicket, long now) {
    List<TicketRoute> open = new ArrayList<>(routes);
    open.removeIf(route -> !route.upstreamReadiness(now).now(now));
    return passed(open, parkedTicket, now);
  }

  /**
   * Returns the open route that comes first, or null. An upstream on trial is open to one request
   * only.
   *
   * @param open the open routes, of which those that turn out to be shut are removed
   */
  private static @Nullable TicketRoute passed(
      List<TicketRoute> open, ParkedTicket parkedTicket, long now) {
    while (!open.isEmpty()) {
      TicketRoute first = TicketRoute.first(open, parkedTicket, now);
      Upstream upstream = first.upstream();
      if (upstream == null || upstream.health().pass(now)) {
        return first;
      }
      open.remove(first); // another request was faster
    }
    return null;
  }

  private static long opens(TicketRoute route, long now) {
    return route.upstreamReadiness(now).fromNanos();
  }

  /** Returns a route though none is open: to a healthy upstream if there is one. */
  private static TicketRoute leastBad(
      List<TicketRoute> routes, ParkedTicket parkedTicket, long now) {
    List<TicketRoute> best =
        routes.stream()
            .filter(
                route -> route.upstreamReadiness(now).cause() != UpstreamReadiness.Cause.UNHEALTHY)
            .toList();
    if (best.isEmpty()) {
      long soonest = routes.stream().mapToLong(route -> opens(route, now)).min().orElse(now);
      best = routes.stream().filter(route -> opens(route, now) == soonest).toList();
    }
    return TicketRoute.first(best, parkedTicket, now);
  }
}
