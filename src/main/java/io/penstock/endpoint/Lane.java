package io.penstock.endpoint;

import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket.State;
import io.penstock.queue.TicketTree;
import io.penstock.quota.Line;
import io.penstock.quota.Quota;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tickets of one endpoint that face the same quotas. A lane of which nothing can go sleeps until
 * the instant something can, or until one of its quotas wakes it.
 *
 * <p>Belongs to the dispatcher's owner, except for the methods of {@link Line.Waiter}.
 */
final class Lane implements Line.Waiter {
  /** A ticket that can go now, and how. */
  record Choice(Lane lane, Pending pending, Route route) {}

  private static final long AWAKE = Long.MIN_VALUE;

  private final @Nullable String model;
  private final Runnable signal;
  private final TicketTree<Pending> tickets = new TicketTree<>();
  private final AtomicLong skippedByOthers = new AtomicLong();
  private final Sizes room = new Sizes();
  private final Sizes sizes = new Sizes();
  private long wakeAt = AWAKE;
  private volatile List<Route> routes;
  private volatile int maxSkips;
  private volatile @Nullable Pending head;
  private volatile long headSkips;
  private volatile boolean woken;

  Lane(@Nullable String model, List<Route> routes, int maxSkips, Runnable signal) {
    this.model = model;
    this.routes = routes;
    this.maxSkips = maxSkips;
    this.signal = signal;
  }

  @Nullable String model() {
    return model;
  }

  List<Route> routes() {
    return routes;
  }

  TicketTree<Pending> tickets() {
    return tickets;
  }

  /** Gives its tickets other ways to go. */
  void reroute(List<Route> next, int nextMaxSkips) {
    leave();
    for (Route route : routes) {
      for (Quota quota : route.quotas()) {
        quota.line().release(quota.line().keptFor(this));
      }
    }
    routes = next;
    maxSkips = nextMaxSkips;
    wakeAt = AWAKE;
  }

  void add(Pending pending, long now) {
    pending.lane = this;
    pending.skipsBefore = skippedByOthers.get();
    tickets.add(pending);
    show();
    if (wakeAt != AWAKE) {
      sizes.set(pending);
      wakeAt = Math.min(wakeAt, instant(sizes, now));
    }
  }

  /** Removes a ticket; when it was let go, those before it were passed. */
  void remove(Pending pending, boolean passed) {
    if (passed) {
      tickets.pass(pending);
    } else {
      tickets.remove(pending);
    }
    show();
    for (Route route : routes) {
      for (Quota quota : route.quotas()) {
        quota.line().release(pending.order());
      }
    }
    if (tickets.size() == 0) {
      leave();
    }
  }

  /** Shows others the first ticket; it may see a claim of it end only after that. */
  private void show() {
    Pending first = tickets.first();
    head = first;
    headSkips = first == null ? 0 : tickets.skipsOfFirst() - first.skipsBefore;
  }

  private void join() {
    for (Route route : routes) {
      route.quotas().forEach(quota -> quota.line().join(this));
    }
  }

  private void leave() {
    for (Route route : routes) {
      route.quotas().forEach(quota -> quota.line().leave(this));
    }
  }

  /** Returns whether it is worth looking at now. */
  boolean awake(long now) {
    if (woken) {
      woken = false;
      wakeAt = AWAKE;
    }
    return wakeAt <= now;
  }

  long wakeAt() {
    return wakeAt;
  }

  /** Sets the lane aside until something of it can go. */
  void sleep(long now) {
    // Joined first: what frees from here on wakes it, what freed before is seen below.
    join();
    long soonest = Long.MAX_VALUE;
    for (Route route : routes) {
      soonest = Math.min(soonest, soonest(route, now));
    }
    wakeAt = soonest;
  }

  private long soonest(Route route, long now) {
    if (route.kept()) {
      Pending keeper = keeper(route);
      if (keeper == null) {
        return Long.MAX_VALUE;
      }
      sizes.set(keeper);
      return route.earliest(sizes, now);
    }
    return tickets.soonest(each -> route.earliest(each, now));
  }

  private long instant(Sizes of, long now) {
    long soonest = Long.MAX_VALUE;
    for (Route route : routes) {
      if (!route.kept()) {
        soonest = Math.min(soonest, route.earliest(of, now));
      }
    }
    return soonest;
  }

  /** The ticket here for which all of the route that is kept is kept; null when there is none. */
  private @Nullable Pending keeper(Route route) {
    long order = route.keptFor(this);
    return order == Line.NOBODY || route.keptFrom(order) ? null : tickets.find(order);
  }

  /** Returns the first ticket that can go now, by its least used way; null when none can. */
  @Nullable Choice choose(long now) {
    Pending best = null;
    Route by = null;
    for (Route route : routes) {
      Pending candidate = candidate(route, now);
      if (candidate != null
          && (best == null || by == null || before(candidate, route, best, by, now))) {
        best = candidate;
        by = route;
      }
    }
    return best == null || by == null ? null : new Choice(this, best, by);
  }

  private static boolean before(Pending a, Route byA, Pending b, Route byB, long now) {
    if (a.order() != b.order()) {
      return a.order() < b.order();
    }
    int used = Double.compare(byA.utilization(now), byB.utilization(now));
    return used != 0 ? used < 0 : byA.weight() > byB.weight();
  }

  private @Nullable Pending candidate(Route route, long now) {
    if (!route.room(room, now)) {
      return null;
    }
    boolean kept = route.kept();
    Pending first = kept ? keeper(route) : tickets.firstWithin(room);
    if (first == null) {
      return null;
    }
    sizes.set(first);
    boolean fits = !kept || route.admits(sizes, now);
    return fits && paced(route, first, now) ? first : null;
  }

  /**
   * Returns whether the pace lets the ticket pass. What a pace holds back it also holds for: nobody
   * overtakes a ticket that waits for the pace alone, or the smallest would always go first.
   */
  private boolean paced(Route route, Pending pending, long now) {
    boolean passes = true;
    for (Quota quota : route.quotas()) {
      if (quota.paced(sizes, now) > now) {
        claim(pending, quota, route);
        passes = false;
      }
    }
    return passes;
  }

  /** Claims a quota, unless more of the route is kept: two that keep from each other would wait. */
  private boolean claim(Pending pending, Quota quota, Route route) {
    long order = pending.order();
    if (!quota.line().claim(this, order)) {
      return false;
    }
    // Looked at after the claim: of two who claim at once, at least one sees the other. And a
    // ticket that went meanwhile may have gone before it could see this claim to end it.
    if (route.keptFrom(order) || pending.state() != State.PARKED) {
      quota.line().release(order);
      return false;
    }
    return true;
  }

  /**
   * Returns whether a ticket may take that route past the earlier ones here. One that has been
   * skipped enough claims what it lacks instead.
   */
  boolean passes(Pending pending, Route route, long now) {
    long skips = tickets.skipsOfFirst() + skippedByOthers.get();
    Pending each = tickets.first();
    while (each != null && each.order() < pending.order() && skips - each.skipsBefore >= maxSkips) {
      Quota claimed = claim(each, now);
      if (claimed != null && route.quotas().contains(claimed)) {
        return false;
      }
      skips -= tickets.marks(each);
      each = tickets.after(each);
    }
    return true;
  }

  /**
   * Has a ticket claim the one quota it lacks; of several routes the one that will fit it first.
   */
  private @Nullable Quota claim(Pending pending, long now) {
    Sizes needed = new Sizes();
    needed.set(pending);
    Quota best = null;
    Route by = null;
    long soonest = Long.MAX_VALUE;
    for (Route route : routes) {
      if (route.keptFor(this) == pending.order()) {
        return null;
      }
      Quota lacking = route.onlyLacking(needed, pending.order(), now);
      if (lacking != null && !lacking.line().kept()) {
        long instant = lacking.earliest(needed, now);
        if (best == null || instant < soonest) {
          best = lacking;
          by = route;
          soonest = instant;
        }
      }
    }
    return best != null && by != null && claim(pending, best, by) ? best : null;
  }

  @Override
  public long headOrder() {
    Pending first = head;
    return first == null ? Long.MAX_VALUE : first.order();
  }

  @Override
  public boolean skippedEnough() {
    return headSkips + skippedByOthers.get() >= maxSkips;
  }

  @Override
  public void skip() {
    skippedByOthers.incrementAndGet();
  }

  @Override
  public @Nullable Quota claim(long now) {
    Pending first = head;
    return first == null ? null : claim(first, now);
  }

  @Override
  public void wake() {
    woken = true;
    signal.run();
  }
}
