package io.penstock.endpoint;

import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Line;
import io.penstock.quota.Quota;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The ways of a lane, the lines it stands in there, and what they keep for its tickets. Belongs to
 * the lane's owner, but for {@link #keeps} and the claims.
 */
final class Stand {
  private final Line.Waiter waiter;
  private final List<Route> routes;
  private final Route key;
  private volatile boolean keeps;
  private volatile boolean withdrawn;

  /** Stands in no line yet of those that the routes of {@code waiter} lead through. */
  Stand(Line.Waiter waiter, List<Route> routes) {
    this.waiter = waiter;
    this.routes = routes;
    this.key = Route.ofKey(routes);
  }

  List<Route> routes() {
    return routes;
  }

  /** Returns what the routes have of the tickets' own key. */
  Route key() {
    return key;
  }

  /** Stands in all lines. */
  void join() {
    withdrawn = false;
    quotas(quota -> quota.line().join(waiter));
  }

  /** Stands only in those of its own key: the others are none of its business for now. */
  void joinOwn() {
    withdrawn = false;
    quotas(
        quota -> {
          if (quota.personal()) {
            quota.line().join(waiter);
          } else {
            quota.line().leave(waiter);
          }
        });
  }

  void leave() {
    quotas(quota -> quota.line().leave(waiter));
  }

  /** Leaves all lines and keeps nothing from others until it joins again. */
  void withdraw() {
    withdrawn = true; // before the look for claims: a thread that claims meanwhile sees it
    leave();
    endClaims(claimant -> true);
  }

  /** Returns whether claims of its tickets are void. */
  boolean withdrawn() {
    return withdrawn;
  }

  private void quotas(Consumer<Quota> visitor) {
    for (Route route : routes) {
      route.quotas().forEach(visitor);
    }
  }

  boolean faces(Quota quota) {
    return routes.stream().anyMatch(route -> route.quotas().contains(quota));
  }

  /** Returns when the first way that is kept for nobody opens for those sizes, pacing aside. */
  long opens(Sizes sizes, long now) {
    long soonest = Long.MAX_VALUE;
    for (Route route : routes) {
      soonest = route.kept(waiter.holds()) ? soonest : Math.min(soonest, route.opens(sizes, now));
    }
    return soonest;
  }

  /** The ticket here for which all of the route that is kept is kept; null when there is none. */
  @Nullable Pending keeper(Route route) {
    Ticket kept = route.keptFor(waiter);
    boolean all = kept != null && !route.keptFrom(kept);
    return all && kept instanceof Pending pending && pending.queued() ? pending : null;
  }

  /** Returns whether its own key keeps a ticket from going. */
  boolean keyHolds(Pending pending, long now) {
    if (key.quotas().isEmpty()) {
      return false;
    }
    Sizes needed = new Sizes();
    needed.set(pending);
    return !key.admits(needed, now);
  }

  /** Returns whether anything may be kept for a ticket here. */
  boolean keeps() {
    return keeps;
  }

  /** Ends those claims of tickets here. */
  void endClaims(Predicate<Pending> which) {
    keeps = false; // before the look: who claims meanwhile says so after that
    quotas(
        quota -> {
          if (quota.line().keptFor(waiter) instanceof Pending claimant) {
            if (which.test(claimant)) {
              quota.line().release(claimant);
            } else {
              keeps = true;
            }
          }
        });
  }

  /** Claims a quota, unless more of the route is kept: two that keep from each other would wait. */
  boolean claim(Pending pending, Quota quota, Route route, long now) {
    pending.paced = false;
    if (!quota.line().claim(waiter, pending)) {
      return false;
    }
    keeps = true;
    // Checked after the claim: of two tickets that claim at once, at least one sees the other.
    // A ticket that was decided or left its lane meanwhile may have missed this claim, so that
    // nobody but this thread can end it.
    boolean waits = pending.state() == State.PARKED && waiter.waits(pending) && !withdrawn;
    if (!waits || route.keptFrom(pending) || keyHolds(pending, now)) {
      quota.line().release(pending);
      return false;
    }
    return true;
  }

  /**
   * Has a ticket claim the one quota it lacks; of several routes the one that will fit it first.
   */
  @Nullable Quota claim(Pending pending, long now) {
    Sizes needed = new Sizes();
    needed.set(pending);
    Quota best = null;
    Route by = null;
    long soonest = Long.MAX_VALUE;
    for (Route route : routes) {
      Quota lacking = route.onlyLacking(needed, pending, now);
      if (lacking != null && lacking.line().keptFor(pending.order())) {
        return null;
      }
      if (lacking != null && !lacking.line().kept(pending.holds())) {
        long instant = lacking.earliest(needed, now);
        if (best == null || instant < soonest) {
          best = lacking;
          by = route;
          soonest = instant;
        }
      }
    }
    return best != null && by != null && claim(pending, best, by, now) ? best : null;
  }
}
