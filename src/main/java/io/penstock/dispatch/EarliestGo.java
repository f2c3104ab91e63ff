package io.penstock.dispatch;

import io.penstock.dispatch.DryRun.Place;
import io.penstock.queue.QueueOrder;
import io.penstock.quota.Quota;
import io.penstock.quota.QuotaProjection;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The earliest instant at which a ticket can go, whatever else happens: a lower bound of its wait,
 * as long as nothing is given back to a limit. Belongs to one thread.
 *
 * <p>Counted are those tickets before it that it cannot overtake: they need no more than it does,
 * and can go wherever it can. Larger ones may be overtaken, and those that have to leave sooner
 * than that instant may never go.
 */
final class EarliestGo {
  private final DryRun run;
  private final Place place;
  private final Projections untouched = new Projections();
  private final IdentityHashMap<Quota, Boolean> ample = new IdentityHashMap<>();

  EarliestGo(DryRun run, Place place) {
    this.run = run;
    this.place = place;
  }

  /** Returns the bound; unknown when there is no such instant. */
  WaitForecast forecast() {
    List<Place> ahead = ahead(run.places());
    long instant = after(ahead);
    ahead.removeIf(each -> each.staysUntil() < instant);
    return bound(after(ahead));
  }

  /**
   * Returns a smaller bound in less time: the ticket does not go before those that it cannot
   * overtake.
   *
   * @param first the forecasts of some tickets before it, in order
   */
  WaitForecast forecastBehind(Map<Place, WaitForecast> first) {
    long instant = alone(place.routes());
    for (Place each : ahead(first.keySet())) {
      WaitForecast known = first.getOrDefault(each, WaitForecast.UNKNOWN);
      if (known.known()) {
        instant = Math.max(instant, Math.min(run.now() + known.waitNanos(), each.staysUntil()));
      }
    }
    return bound(instant);
  }

  private WaitForecast bound(long instant) {
    long later =
        place.laterRoutes().isEmpty()
            ? Ticker.NEVER
            : Math.max(Math.max(run.now(), place.changesAt()), alone(place.laterRoutes()));
    long bound = Math.min(Math.min(instant, givenBackAt()), later);
    return bound == Ticker.NEVER ? WaitForecast.UNKNOWN : WaitForecast.of(bound - run.now(), true);
  }

  /** Returns the first instant at which another ticket leaves and gives back what it keeps. */
  private long givenBackAt() {
    long first = Ticker.NEVER;
    for (Place each : run.places()) {
      if (each.copy() != place.copy() && each.ticket().takenCharges() != null) {
        first = Math.min(first, each.copy().deadlineNanos());
      }
    }
    return Math.max(run.now(), first);
  }

  /**
   * Returns those of some tickets that it cannot overtake.
   *
   * @param some in the order of the copy
   */
  private List<Place> ahead(Collection<Place> some) {
    List<Place> ahead = new ArrayList<>();
    if (run.claims(place)) {
      return ahead; // with a claim it may go first
    }
    boolean beforeIt = true;
    for (Place each : some) {
      beforeIt &= each.copy() != place.copy();
      boolean inQueue = !each.blocked() || (place.blocked() && beforeIt);
      if (inQueue
          && run.discipline().staysBefore(each.copy(), place.copy())
          && place.sizes().admits(each.sizes())
          && goesWherever(each)
          && !mayClaimBefore(each)) {
        ahead.add(each);
      }
    }
    // On each other route one of them may wait for its turn while this one goes here.
    int elsewhere = Math.min(ahead.size(), Math.max(0, place.routes().size() - 1));
    return ahead.subList(0, ahead.size() - elsewhere);
  }

  /**
   * Returns whether another ticket has each route that this one has, and is held up by no claim
   * that this one may ignore.
   */
  private boolean goesWherever(Place other) {
    if (place.ticket().keepsCharges() && !other.ticket().keepsCharges()) {
      return false;
    }
    for (TicketRoute route : place.routes()) {
      if (route(other, route) == null) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether this ticket may get a claim that an earlier one does not get: it was skipped
   * more often, or it is the first of a flow in another lane, which may fall too far behind.
   */
  private boolean mayClaimBefore(Place other) {
    int mostSkips = place.skips() + run.places().size();
    boolean sameLane = place.lane().equals(other.lane());
    return (place.skips() > other.skips() && mostSkips >= run.maxSkips())
        || (run.discipline().order() == QueueOrder.FAIR && !sameLane);
  }

  private static @Nullable TicketRoute route(Place other, TicketRoute alike) {
    for (TicketRoute each : other.routes()) {
      if (each.upstream() == alike.upstream() && each.pool() == alike.pool()) {
        return each;
      }
    }
    return null;
  }

  /** Returns when the ticket is admitted on any of some routes if no other goes before it. */
  private long alone(List<TicketRoute> routes) {
    long soonest = Ticker.NEVER;
    for (TicketRoute route : routes) {
      soonest = Math.min(soonest, untouched.admittedAt(place, route.quotas()));
    }
    return soonest;
  }

  /** Returns when the ticket is admitted after all of those have gone as soon as each could. */
  private long after(List<Place> ahead) {
    Projections shared = new Projections();
    for (Place each : ahead) {
      TicketRoute way = soonest(each, shared);
      if (way != null) {
        go(each, way, shared);
      }
    }
    TicketRoute way = soonest(place, shared);
    return way == null ? Ticker.NEVER : shared.admittedAt(place, way.quotas());
  }

  private static @Nullable TicketRoute soonest(Place other, Projections projections) {
    TicketRoute best = null;
    long soonest = Ticker.NEVER;
    for (TicketRoute each : other.routes()) {
      long instant = projections.admittedAt(other, each.quotas());
      if (instant < soonest) {
        best = each;
        soonest = instant;
      }
    }
    return best;
  }

  /** Lets a ticket go, unless a quota that only it needs may hold it up while this one passes. */
  private void go(Place other, TicketRoute way, Projections shared) {
    TicketRoute here = route(place, way);
    List<Quota> both = new ArrayList<>(way.quotas());
    List<Quota> onlyIts = new ArrayList<>(way.quotas());
    both.removeIf(quota -> here == null || !here.quotas().contains(quota));
    onlyIts.removeAll(both);
    if (!onlyIts.stream().allMatch(quota -> ample.computeIfAbsent(quota, this::isAmple))) {
      return;
    }
    long instant = shared.admittedAt(other, both);
    both.forEach(quota -> shared.go(other, quota, instant));
  }

  /** Returns whether a quota has room for all that wait for it, whatever their order. */
  private boolean isAmple(Quota quota) {
    if (run.isContested(quota)) {
      return false;
    }
    QuotaProjection projection = quota.original().projection(run.now());
    for (Place each : run.places()) {
      if (waitsFor(each, quota)) {
        if (projection.admittedAt(each.batch(), 0, run.now()) > run.now()
            || projection.uncertain()) {
          return false;
        }
        projection.pass(each.batch(), 0, 1, run.now());
      }
    }
    return true;
  }

  private static boolean waitsFor(Place other, Quota quota) {
    return other.routes().stream().anyMatch(route -> route.quotas().contains(quota));
  }

  /** Copies of quotas, from which tickets are taken. */
  private final class Projections {
    private final IdentityHashMap<Quota, QuotaProjection> byQuota = new IdentityHashMap<>();

    private QuotaProjection of(Quota quota) {
      return byQuota.computeIfAbsent(quota, each -> each.original().projection(run.now()));
    }

    long admittedAt(Place other, List<Quota> quotas) {
      long instant = run.now();
      for (Quota quota : quotas) {
        instant = Math.max(instant, of(quota).admittedAt(other.batch(), 0, run.now()));
      }
      return instant;
    }

    void go(Place other, Quota quota, long instant) {
      if (instant < Ticker.NEVER) {
        of(quota).pass(other.batch(), 0, 1, instant);
      }
    }
  }
}
