package io.penstock.dispatch;

import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstream;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tickets to refuse instead of queueing: those that would wait in vain or for too
 * long, or for which the queue has no place.
 */
public final class AdmissionCheck {
  private AdmissionCheck() {}

  /** Returns the refusal of a ticket that has no route, or null when there is one. */
  public static @Nullable Refusal noRoute(
      List<TicketRoute> routes, RouteSource routeSource, ParkedTicket parkedTicket) {
    if (!routes.isEmpty()) {
      return null;
    }
    RefusalReason reason = routeSource.noRouteReason(parkedTicket.model());
    return reason == RefusalReason.NO_HEALTHY_UPSTREAM
        ? Refusal.of(reason, "no upstream of this endpoint is enabled").withoutRetry()
        : Refusal.of(reason, "no upstream of this endpoint serves the model");
  }

  /** Returns the refusal of a ticket that no upstream can serve for a while, or null. */
  static @Nullable Refusal unavailable(List<TicketRoute> routes, long now) {
    Refusal unwell = onlyUnhealthy(routes, now);
    return unwell == null ? hopeless(routes, now) : unwell;
  }

  /** Returns whether any of some routes can be relied on to open soon. */
  static boolean anyAvailable(List<TicketRoute> routes, long now) {
    return routes.stream().anyMatch(route -> route.available(now));
  }

  /** Returns whether any of some routes is in service: see {@link TicketRoute#inService}. */
  static boolean anyInService(List<TicketRoute> routes, long now) {
    return routes.stream().anyMatch(route -> route.inService(now));
  }

  /** Returns the refusal of a ticket that waits in vain on every route, or null. */
  static @Nullable Refusal hopeless(List<TicketRoute> routes, long now) {
    Refusal unavailable = null;
    for (TicketRoute ticketRoute : routes) {
      unavailable = ticketRoute.refusal();
      if (unavailable == null) {
        return dayUsedUp(routes, now);
      }
    }
    return unavailable;
  }

  /** Returns the refusal of a ticket that only unhealthy upstreams could serve, or null. */
  private static @Nullable Refusal onlyUnhealthy(List<TicketRoute> routes, long now) {
    long soonest = Ticker.NEVER;
    for (TicketRoute ticketRoute : routes) {
      Upstream upstream = ticketRoute.upstream();
      if (upstream == null || !upstream.health().onTrial()) {
        return null;
      }
      soonest = Math.min(soonest, upstream.health().opens(now));
    }
    return soonest <= now
        ? null
        : new Refusal(
            RefusalReason.NO_HEALTHY_UPSTREAM,
            "no upstream that serves this is well",
            soonest - now);
  }

  /**
   * Returns the refusal of a ticket when its model, or each upstream that could serve it, has used
   * up its day; else null.
   */
  private static @Nullable Refusal dayUsedUp(List<TicketRoute> routes, long now) {
    if (routes.isEmpty()) {
      return null;
    }
    long soonest = Ticker.NEVER;
    boolean models = true;
    boolean lost = false;
    for (TicketRoute ticketRoute : routes) {
      lost |= hasLost(ticketRoute.ofModel(), now) || hasLost(ticketRoute.pool(), now);
      long model = dayEnds(ticketRoute.ofModel(), now);
      long ends = Math.max(model, dayEnds(ticketRoute.pool(), now));
      if (ends <= now) {
        return null;
      }
      soonest = Math.min(soonest, ends);
      models &= model > now;
    }
    if (lost) {
      return new Refusal(
          RefusalReason.LIMIT_RECOVERING,
          "Redis has lost data, and an instance that is gone may have used up the requests of the"
              + " day; nothing more is granted until the day ends",
          soonest - now);
    }
    return models
        ? new Refusal(RefusalReason.MODEL_RPD, "the model is out for its day", soonest - now)
        : new Refusal(
            RefusalReason.UPSTREAM_RPD,
            "every upstream that serves this is out for its day",
            soonest - now);
  }

  private static boolean hasLost(@Nullable Quota quota, long now) {
    return quota != null
        && quota.limits().stream()
            .map(MeteredLimit::limit)
            .anyMatch(
                limit -> limit.spec() instanceof LimitSpec.Day && limit.sharing().isBarred(1, now));
  }

  private static long dayEnds(@Nullable Quota quota, long now) {
    return quota == null ? now : quota.dayEndsNanos(now);
  }

  /** Returns the refusal of a new ticket that would wait in vain, or null. */
  static @Nullable Refusal inVain(
      List<TicketRoute> routes, RouteSource routeSource, ParkedTicket parkedTicket, long now) {
    Refusal refusal = impossible(routes, routeSource, parkedTicket);
    return refusal == null ? unavailable(routes, now) : refusal;
  }

  /** Returns the refusal of a ticket that could not go even if nothing else ran, or null. */
  static @Nullable Refusal impossible(
      List<TicketRoute> routes, RouteSource routeSource, ParkedTicket parkedTicket) {
    if (routes.isEmpty()) {
      return noRoute(routes, routeSource, parkedTicket);
    }
    Quota.Obstacle obstacle = null;
    for (TicketRoute ticketRoute : routes) {
      obstacle = ticketRoute.obstacle(parkedTicket.cost());
      if (obstacle == null) {
        return null;
      }
    }
    return obstacle == null
        ? null
        : Refusal.of(
            RefusalReason.COST_EXCEEDS_CAPACITY,
            "token cost %d exceeds window capacity %d"
                .formatted(obstacle.amount(), obstacle.capacity()));
  }

  /** Returns the refusal of a ticket with an estimated wait longer than it may wait, or null. */
  static @Nullable Refusal tooLong(ParkedTicket parkedTicket, WaitForecast estimate) {
    long most = parkedTicket.refusesAboveNanos();
    long estimateNanos = estimate.waitNanos();
    return most == 0 || estimateNanos <= most || !estimate.known()
        ? null
        : new Refusal(
            RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT,
            "the estimated wait is %s%.1f s, longer than the %.1f s it may take"
                .formatted(
                    estimate.bound() ? "at least " : "", seconds(estimateNanos), seconds(most)),
            estimateNanos - most);
  }

  /** Returns the refusal of a ticket that finds the queue full. */
  public static Refusal queueFull(String bound, long nextNanos) {
    boolean known = nextNanos >= 0 && nextNanos < Long.MAX_VALUE / 2;
    return new Refusal(
        RefusalReason.QUEUE_FULL,
        "the queue is full: it holds at most " + bound,
        known ? nextNanos : Refusal.UNKNOWN);
  }

  /** Returns the refusal of a ticket that reached its deadline. */
  static Refusal expired(long waitedNanos) {
    return Refusal.of(
        RefusalReason.QUEUE_TIMEOUT,
        "it waited %.1f s, the longest it may".formatted(seconds(waitedNanos)));
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
