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
  /**
   * A ticket that can go now, and how.
   *
   * @param held whether only the pace holds it back: it does not go, but claims what it waits for
   */
  record Choice(Lane lane, Pending pending, Route route, boolean held) {}

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
    withdraw();
    routes = next;
    maxSkips = nextMaxSkips;
  }

  /** Stands in no line and keeps nothing from others, until it is looked at again. */
  void withdraw() {
    leave();
    for (Route route : routes) {
      for (Quota quota : route.quotas()) {
        quota.line().release(quota.line().keptFor(this));
      }
    }
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

  /** Stands in the lines of all it may take, so that others see whom they pass. */
  void join() {
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
    // Pacing aside: who has room claims what the pace holds back.
    return tickets.soonest(each -> route.opens(each, now));
  }

  private long instant(Sizes of, long now) {
    long soonest = Long.MAX_VALUE;
    for (Route route : routes) {
      if (!route.kept()) {
        soonest = Math.min(soonest, route.opens(of, now));
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
    Choice best = null;
    for (Route route : routes) {
      Pending candidate = candidate(route, now);
      if (candidate != null) {
        boolean held = route.paced(sizes, now) > now;
        Choice choice = new Choice(this, candidate, route, held);
        boolean waits = held && holds(choice, now);
        if (!waits && (best == null || before(choice, best, now))) {
          best = choice;
        }
      }
    }
    return best;
  }

  private static boolean before(Choice a, Choice b, long now) {
    if (a.pending().order() != b.pending().order()) {
      return a.pending().order() < b.pending().order();
    }
    if (a.held() != b.held()) {
      return b.held();
    }
    int used = Double.compare(a.route().utilization(now), b.route().utilization(now));
    return used != 0 ? used < 0 : a.route().weight() > b.route().weight();
  }

  /**
   * Returns the first ticket the route admits, pacing aside, with {@code sizes} set to its sizes.
   */
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
    return !kept || route.admits(sizes, now) ? first : null;
  }

  /** Returns whether all that the pace holds back of a choice is kept for it; sizes are set. */
  private boolean holds(Choice choice, long now) {
    for (Quota quota : choice.route().quotas()) {
      boolean mine = quota.line().keptFor(this) == choice.pending().order();
      if (!mine && quota.paced(sizes, now) > now) {
        return false;
      }
    }
    return true;
  }

  /**
   * Has a ticket claim what the pace holds back. What a pace holds back it also holds for: nobody
   * overtakes a ticket that waits for the pace alone, or the smallest would always go first.
   */
  void hold(Choice choice, long now) {
    sizes.set(choice.pending());
    for (Quota quota : choice.route().quotas()) {
      if (quota.paced(sizes, now) > now) {
        claim(choice.pending(), quota, choice.route());
      }
    }
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
      Quota lacking = route.onlyLacking(needed, pending.order(), now);
      if (lacking != null && lacking.line().keptFor(this) == pending.order()) {
        return null;
      }
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
