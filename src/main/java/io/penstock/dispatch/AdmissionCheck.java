package io.penstock.dispatch;

import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamReadiness;
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
  private static final String NONE_ENABLED = "no upstream of this endpoint is enabled";

  private AdmissionCheck() {}

  /** Returns the refusal of a ticket that has no route, or null when there is one. */
  public static @Nullable Refusal noRoute(
      List<TicketRoute> routes, RouteSource routeSource, ParkedTicket parkedTicket) {
    if (!routes.isEmpty()) {
      return null;
    }
    RefusalReason reason = routeSource.noRouteReason(parkedTicket.model());
    return reason == RefusalReason.NO_HEALTHY_UPSTREAM
        ? Refusal.of(reason, NONE_ENABLED).withoutRetry()
        : Refusal.of(reason, "no upstream of this endpoint serves the model");
  }

  /** Returns the refusal of a new ticket that no upstream can serve for a while, or null. */
  static @Nullable Refusal unavailable(List<TicketRoute> routes, long now) {
    return allAway(routes, now) ? soonest(routes, now) : null;
  }

  /** Returns whether a ticket with those routes should go elsewhere if it may. */
  static boolean allAway(List<TicketRoute> routes, long now) {
    for (TicketRoute ticketRoute : routes) {
      if (!ticketRoute.readiness(now).away(now)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether any of some routes can be relied on to open soon. */
  static boolean anyAvailable(List<TicketRoute> routes, long now) {
    for (TicketRoute ticketRoute : routes) {
      if (ticketRoute.upstream() == null || ticketRoute.readiness(now).soon(now)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the refusal of a ticket that waits in vain on every route, or null. */
  static @Nullable Refusal hopeless(List<TicketRoute> routes, long now) {
    for (TicketRoute ticketRoute : routes) {
      if (!ticketRoute.readiness(now).hopeless()) {
        return null;
      }
    }
    return soonest(routes, now);
  }

  /**
   * Returns the refusal of a ticket when none of its routes can take it now. It is that of the
   * route that can take it first; null when there is no route.
   */
  private static @Nullable Refusal soonest(List<TicketRoute> routes, long now) {
    TicketRoute first = null;
    UpstreamReadiness soonest = null;
    for (TicketRoute ticketRoute : routes) {
      UpstreamReadiness each = ticketRoute.readiness(now);
      if (each.cause() == UpstreamReadiness.Cause.TAKEN_OUT) {
        return null; // it waits until an operator resumes that one
      }
      if (soonest == null || each.fromNanos() < soonest.fromNanos()) {
        first = ticketRoute;
        soonest = each;
      }
    }
    if (first == null || soonest == null) {
      return null;
    }
    long wait = soonest.fromNanos() - now;
    return switch (soonest.cause()) {
      case NONE, PAUSED, TAKEN_OUT -> null;
      case UNHEALTHY -> unhealthy(routes, first, wait);
      case UPSTREAM_DAY, MODEL_DAY -> dayUsedUp(routes, first, soonest.cause(), wait, now);
      case CUT_OFF -> first.refusal();
      case DISABLED -> Refusal.of(RefusalReason.NO_HEALTHY_UPSTREAM, NONE_ENABLED).withoutRetry();
    };
  }

  /**
   * Returns the refusal of a ticket when the first upstream that may take it is unhealthy: that of
   * its account if the providers of all routes refuse the gateway's account.
   */
  private static Refusal unhealthy(List<TicketRoute> routes, TicketRoute first, long waitNanos) {
    String refused = first.accountRefusal();
    return refused != null && routes.stream().allMatch(each -> each.accountRefusal() != null)
        ? Refusal.ofAccount(refused)
        : new Refusal(
            RefusalReason.NO_HEALTHY_UPSTREAM, "no upstream that serves this is well", waitNanos);
  }

  /**
   * Returns the refusal of a ticket when the day of its model or of its upstreams is used up.
   *
   * @param first the route that can take it first
   */
  private static Refusal dayUsedUp(
      List<TicketRoute> routes,
      TicketRoute first,
      UpstreamReadiness.Cause cause,
      long waitNanos,
      long now) {
    for (TicketRoute ticketRoute : routes) {
      if (isUnavailable(ticketRoute.ofModel(), now) || isUnavailable(ticketRoute.pool(), now)) {
        return new Refusal(
            RefusalReason.LIMIT_UNAVAILABLE,
            "Redis is away, and this instance has used up its share of the requests of the day",
            Refusal.UNKNOWN);
      }
    }
    return cause == UpstreamReadiness.Cause.MODEL_DAY
        ? new Refusal(RefusalReason.MODEL_RPD, "model " + dayOf(first.ofModel()), waitNanos)
        : new Refusal(
            RefusalReason.UPSTREAM_RPD,
            "every upstream that serves this is out: " + dayOf(first.pool()),
            waitNanos);
  }

  /** Returns whose limit of a day that is, and what it admits. */
  private static String dayOf(@Nullable Quota quota) {
    return quota == null
        ? ""
        : quota.limits().stream()
            .filter(each -> each.limit().spec() instanceof LimitSpec.Day)
            .map(each -> quota.name() + ": " + each.words())
            .findFirst()
            .orElse(quota.name());
  }

  private static boolean isUnavailable(@Nullable Quota quota, long now) {
    return quota != null
        && quota.limits().stream()
            .map(MeteredLimit::limit)
            .anyMatch(
                limit ->
                    limit.spec() instanceof LimitSpec.Day && limit.sharing().isUnavailable(1, now));
  }

  /** Returns the refusal of a new ticket that would wait in vain, or null. */
  static @Nullable Refusal inVain(
      List<TicketRoute> routes, RouteSource routeSource, ParkedTicket parkedTicket, long now) {
    Refusal refusal = impossible(routes, routeSource, parkedTicket);
    Refusal lacks = refusal == null ? usedUp(routes, parkedTicket, now) : refusal;
    Refusal away = lacks == null ? unavailable(routes, now) : lacks;
    return away == null ? pausedTooLong(routes, parkedTicket, now) : away;
  }

  /**
   * Returns the refusal of a ticket for which a budget or the requests of a day of its key or group
   * have too little left, whatever ends meanwhile; or null. The budgets are the same on all routes.
   */
  static @Nullable Refusal usedUp(List<TicketRoute> routes, ParkedTicket parkedTicket, long now) {
    for (Quota quota : routes.getFirst().quotas()) {
      Refusal lacking = quota.lackOfBudget(parkedTicket.cost(), now);
      Refusal refusal =
          lacking == null
              ? quota.usedUpDay(parkedTicket.cost(), parkedTicket.deadlineNanos(), now)
              : lacking;
      if (refusal != null) {
        return refusal;
      }
    }
    return null;
  }

  /** Returns whether tickets with those routes wait for limits of a day of their key or group. */
  static boolean haveDays(List<TicketRoute> routes) {
    if (!routes.isEmpty()) {
      for (Quota quota : routes.getFirst().quotas()) {
        if (quota.hasDay()) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Returns the refusal of a ticket that may not wait until one of its upstreams takes requests
   * again, as these have stated; null if one may serve it. It states the first end of the pauses.
   */
  private static @Nullable Refusal pausedTooLong(
      List<TicketRoute> routes, ParkedTicket parkedTicket, long now) {
    long end = Ticker.NEVER;
    for (TicketRoute ticketRoute : routes) {
      UpstreamReadiness readiness = ticketRoute.readiness(now);
      boolean paused = pausesTooLong(ticketRoute, parkedTicket, now);
      if (!paused && !readiness.away(now)) {
        return null;
      }
      long each = paused ? ticketRoute.statedEnd(parkedTicket, now) : readiness.fromNanos();
      end = Math.min(end, each);
    }
    return end == Ticker.NEVER ? null : paused(end - now);
  }

  private static Refusal paused(long waitNanos) {
    return new Refusal(
        RefusalReason.UPSTREAM_PAUSED,
        "every upstream that serves this has said that it takes no requests for a while",
        waitNanos);
  }

  /** Returns the refusal of a call that never waits, and that none of its routes takes now. */
  public static Refusal shut(List<TicketRoute> routes, long now) {
    Refusal away = unavailable(routes, now);
    if (away != null) {
      return away;
    }
    long first = routes.stream().mapToLong(each -> each.gatesOpenAt(now)).min().orElse(now);
    return first == Ticker.NEVER
        ? Refusal.of(
            RefusalReason.NO_HEALTHY_UPSTREAM, "an operator paused every upstream that serves this")
        : paused(first - now);
  }

  /**
   * Returns whether an upstream takes no request in the time that a ticket may wait, as it has
   * stated, and none tries that meanwhile.
   */
  static boolean pausesTooLong(TicketRoute ticketRoute, ParkedTicket parkedTicket, long now) {
    long paused = ticketRoute.statedPause(parkedTicket, now);
    long most = parkedTicket.refusesAboveNanos();
    boolean tooLong = paused > parkedTicket.deadlineNanos() || (most > 0 && paused - now > most);
    return paused > now && tooLong; // one that is late already may still go
  }

  /** Returns the refusal of a ticket that could not go even if nothing else ran, or null. */
  static @Nullable Refusal impossible(
      List<TicketRoute> routes, RouteSource routeSource, ParkedTicket parkedTicket) {
    if (routes.isEmpty()) {
      return noRoute(routes, routeSource, parkedTicket);
    }
    Quota.Obstacle largest = null;
    for (TicketRoute ticketRoute : routes) {
      Quota.Obstacle obstacle = ticketRoute.obstacle(parkedTicket.cost());
      if (obstacle == null) {
        return null;
      }
      if (largest == null || obstacle.capacity() >= largest.capacity()) {
        largest = obstacle;
      }
    }
    return largest == null
        ? null
        : Refusal.of(RefusalReason.COST_EXCEEDS_CAPACITY, impossible(largest));
  }

  private static String impossible(Quota.Obstacle obstacle) {
    if (obstacle.caller() != null) {
      return "%s: token cost %d exceeds capacity %d"
          .formatted(obstacle.caller(), obstacle.amount(), obstacle.capacity());
    }
    return obstacle.statedTo() == null
        ? "token cost %d exceeds window capacity %d"
            .formatted(obstacle.amount(), obstacle.capacity())
        : "with its stated maximum of output it counts %d tokens, more than the tpm of %d of %s; "
                .formatted(obstacle.amount(), obstacle.capacity(), obstacle.statedTo())
            + "state a smaller maximum";
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
    return noPlace("the queue is full: it holds at most " + bound, nextNanos);
  }

  /**
   * Returns the refusal of a ticket that gets no place in the queue.
   *
   * @param detail why it gets none
   */
  static Refusal noPlace(String detail, long nextNanos) {
    boolean known = nextNanos >= 0 && nextNanos < Long.MAX_VALUE / 2;
    return new Refusal(RefusalReason.QUEUE_FULL, detail, known ? nextNanos : Refusal.UNKNOWN);
  }

  /**
   * Returns the refusal of a ticket that reached its deadline.
   *
   * @param kept whether a repeat takes over its place
   */
  static Refusal expired(long waitedNanos, boolean kept) {
    String told = "it waited %.1f s, the longest it may".formatted(seconds(waitedNanos));
    return kept
        ? new Refusal(
            RefusalReason.QUEUE_TIMEOUT,
            told + "; its place is kept for a repeat",
            Refusal.DEFAULT_RETRY_NANOS)
        : Refusal.of(RefusalReason.QUEUE_TIMEOUT, told);
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
