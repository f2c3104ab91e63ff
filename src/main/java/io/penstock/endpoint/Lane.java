package io.penstock.endpoint;

import io.penstock.queue.Discipline;
import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;
import io.penstock.queue.TicketQueue;
import io.penstock.quota.Line;
import io.penstock.quota.Quota;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tickets of one endpoint that face the same quotas, in order; one entry in each quota's wait list
 * stands for all of them. A lane in which no ticket can go sleeps until the instant at which one
 * may, or until one of its quotas wakes it.
 *
 * <p>Only the owner of the queue may use it, except for the methods of {@link Line.Waiter}.
 */
final class Lane implements Line.Waiter {
  private static final long AWAKE = Long.MIN_VALUE;

  private final Facing facing;
  private final Dispatcher owner;
  private final Runnable signal;
  private final AtomicInteger skippedByOthers = new AtomicInteger();
  private final Sizes room = new Sizes();
  private final Sizes sizes = new Sizes();
  private Discipline<Pending> discipline;
  private TicketQueue<Pending> tickets;
  private long wakeAt = AWAKE;
  private @Nullable Binding held;
  private long heldNanos = Long.MIN_VALUE;

  /** Whether any ticket here ever claimed a quota because of its pace. */
  private boolean paces;

  private volatile Stand stand;
  private volatile int maxSkips;
  private volatile @Nullable Pending head;
  private volatile int headSkips;
  private volatile boolean woken;

  Lane(
      Facing facing,
      List<Route> routes,
      Discipline<Pending> discipline,
      Dispatcher owner,
      Routes terms) {
    this.facing = facing;
    this.stand = new Stand(this, routes);
    this.discipline = discipline;
    this.tickets = discipline.queue();
    this.owner = owner;
    this.maxSkips = terms.maxSkips();
    this.signal = terms.signal();
  }

  Facing facing() {
    return facing;
  }

  List<Route> routes() {
    return stand.routes();
  }

  TicketQueue<Pending> tickets() {
    return tickets;
  }

  /** Puts its tickets into another order. */
  void reorder(Discipline<Pending> next) {
    List<Pending> all = new ArrayList<>();
    tickets.forEach(all::add);
    all.forEach(tickets::remove);
    discipline = next;
    tickets = next.queue();
    for (Pending pending : all) {
      pending.enter(next);
      tickets.add(pending);
    }
    show();
    wakeAt = AWAKE;
  }

  /** Gives its tickets other routes; it is in no wait list until it is looked at again. */
  void reroute(List<Route> next, int nextMaxSkips) {
    withdraw();
    stand = new Stand(this, next);
    maxSkips = nextMaxSkips;
  }

  /** Leaves all wait lists and ends all claims, until the lane is looked at again. */
  void withdraw() {
    stand.withdraw();
    wakeAt = AWAKE;
  }

  void add(Pending pending, long now) {
    pending.lane = this;
    learn();
    tickets.add(pending);
    show();
    if (wakeAt != AWAKE) {
      sizes.set(pending);
      // A lane blocked by its own key is in no other wait list, and looks there only after that.
      long instant = tickets.resting() ? stand.key().opens(sizes, now) : stand.opens(sizes, now);
      wakeAt = Math.min(wakeAt, instant);
    }
  }

  /**
   * Ends the claims of tickets that {@code arrived} precedes and that wait only for a pace: when
   * the pace lets one of them pass, it is {@code arrived}'s turn.
   */
  void yieldTo(Pending arrived) {
    if (paces) {
      stand.endClaims(claimant -> claimant.paced && discipline.precedes(arrived, claimant));
    }
  }

  /** Removes a ticket. If it was granted ({@code passed}), it skipped the tickets before it. */
  void remove(Pending pending, boolean passed) {
    if (passed) {
      learn();
      tickets.pass(pending);
    } else {
      tickets.remove(pending);
    }
    show();
    pending.lane = null; // its claims are void from here on, so the last one ends below
    for (Route route : stand.routes()) {
      route.release(pending);
    }
    if (tickets.size() == 0) {
      stand.leave();
    }
  }

  /** Publishes the first ticket to other threads; called before claims of a removed one end. */
  void show() {
    head = tickets.first();
    headSkips = tickets.skipsOfFirst();
  }

  /** Adds skips by other endpoints' tickets, known only as a number, to the tickets here. */
  private void learn() {
    if (skippedByOthers.get() != 0) {
      tickets.skipAll(skippedByOthers.getAndSet(0));
      headSkips = tickets.skipsOfFirst();
    }
  }

  /**
   * Enters the wait lists of all its quotas, so that other lanes can see whether they skip it.
   * While its own key blocks it, it enters only that key's lists, and nobody skips its tickets.
   */
  void join() {
    if (tickets.resting()) {
      stand.joinOwn();
    } else {
      stand.join();
    }
  }

  /** Returns whether {@code quota} is on any of its routes. */
  boolean faces(Quota quota) {
    return stand.faces(quota);
  }

  /** Ends claims of tickets that their own key's quotas block: they must not delay others. */
  void yieldHeld(long now) {
    if (stand.keeps() && keyed()) {
      stand.endClaims(claimant -> stand.keyHolds(claimant, now));
    }
  }

  /** Returns whether its tickets face quotas of their own key. */
  boolean keyed() {
    return !stand.key().quotas().isEmpty();
  }

  /** Returns whether their own key blocks all tickets here; they count as not arrived then. */
  private boolean keyHolds(long now) {
    if (!keyed()) {
      return false;
    }
    boolean holds = !stand.key().room(room, now) || tickets.firstWithin(room) == null;
    tickets.rest(holds);
    return holds;
  }

  /** Returns whether the lane should be looked at now. */
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

  /** Sets the lane aside until one of its tickets may go. */
  void sleep(long now) {
    // Joined before the look: room freed later wakes it, room freed before is seen below.
    join();
    note(now);
    if (tickets.resting()) {
      wakeAt = tickets.soonest(each -> stand.key().opens(each, now));
      return;
    }
    long soonest = Long.MAX_VALUE;
    for (Route route : stand.routes()) {
      soonest = Math.min(soonest, soonest(route, now));
    }
    wakeAt = soonest;
  }

  /** Records what blocks its first ticket, at most once a second. */
  private void note(long now) {
    Pending first = tickets.first();
    boolean old = heldNanos == Long.MIN_VALUE || now - heldNanos >= Why.LONG_NANOS;
    if (old && first != null) {
      held = Explainer.binding(first, stand.routes(), now);
      heldNanos = now;
    }
  }

  /** Returns what blocked its first ticket when last recorded; null before the first record. */
  @Nullable Binding held() {
    return held;
  }

  /** Returns the instant of that record. */
  long heldNanos() {
    return heldNanos;
  }

  private long soonest(Route route, long now) {
    if (route.kept(holds())) {
      Pending keeper = stand.keeper(route);
      if (keeper == null) {
        return Long.MAX_VALUE;
      }
      sizes.set(keeper);
      return route.earliest(sizes, now);
    }
    // Pacing is left out: a ticket that only the pace delays claims the quota.
    return tickets.soonest(each -> route.opens(each, now));
  }

  /** Returns the first ticket that can go now, by its least used route; null when none can. */
  @Nullable Choice choose(long now) {
    if (keyHolds(now)) {
      return null;
    }
    Choice best = null;
    for (Route route : stand.routes()) {
      Pending candidate = candidate(route, now);
      if (candidate != null) {
        boolean held = route.paced(sizes, now) > now;
        Choice choice = new Choice(this, candidate, route, held);
        boolean waits = held && route.paceKeptFor(candidate, sizes, now);
        if (!waits && (best == null || choice.before(best, discipline, now))) {
          best = choice;
        }
      }
    }
    return best;
  }

  /**
   * Returns the first ticket the route admits but for the pace; {@code sizes} are set to its own.
   */
  private @Nullable Pending candidate(Route route, long now) {
    if (!route.room(room, now)) {
      return null;
    }
    boolean kept = route.kept(holds());
    Pending first = kept ? stand.keeper(route) : tickets.firstWithin(room);
    if (first == null) {
      return null;
    }
    sizes.set(first);
    return !kept || route.admits(sizes, now) ? first : null;
  }

  /**
   * Claims, for the chosen ticket, each quota that delays it by its pace. Nobody may overtake a
   * ticket that waits for the pace alone, or the smallest ticket would always go first.
   */
  void hold(Choice choice, long now) {
    sizes.set(choice.pending());
    for (Quota quota : choice.route().quotas()) {
      if (quota.paced(sizes, now) > now) {
        choice.pending().paced = stand.claim(choice.pending(), quota, choice.route(), now);
        paces = true;
      }
    }
  }

  /**
   * Returns whether a ticket may take that route past earlier tickets of this lane. An earlier one
   * that may not be skipped again claims the quota it lacks instead.
   */
  boolean passes(Pending pending, Route route, long now) {
    learn();
    Pending each = tickets.unskippable(null, pending, maxSkips);
    while (each != null) {
      Quota claimed = stand.claim(each, now);
      if (claimed != null && route.quotas().contains(claimed)) {
        return false;
      }
      each = tickets.unskippable(each, pending, maxSkips);
    }
    return true;
  }

  @Override
  public long headOrder() {
    Pending first = head;
    return first == null ? Long.MAX_VALUE : first.order();
  }

  @Override
  public boolean holds() {
    return facing.paid();
  }

  /** Returns whether a ticket is of this endpoint: then everything here may be read. */
  private boolean ours(Ticket ticket) {
    Lane lane = ticket instanceof Pending pending ? pending.lane : null;
    return lane != null && lane.owner == owner;
  }

  @Override
  public boolean precedes(Ticket gone) {
    Pending first = head;
    if (first == null) {
      return false;
    }
    return ours(gone) ? discipline.precedes(first, gone) : first.order() < gone.order();
  }

  @Override
  public boolean unskippable(Ticket gone) {
    if (ours(gone)) {
      learn();
      return tickets.unskippable(null, gone, maxSkips) != null;
    }
    return precedes(gone) && headSkips + skippedByOthers.get() >= maxSkips;
  }

  @Override
  public void skip(Ticket gone) {
    if (ours(gone)) {
      tickets.skipBefore(gone);
      headSkips = tickets.skipsOfFirst();
    } else {
      skippedByOthers.incrementAndGet();
    }
  }

  @Override
  public @Nullable Quota claim(Ticket gone, long now) {
    if (!ours(gone)) {
      Pending first = head;
      return first == null ? null : stand.claim(first, now);
    }
    Pending each = tickets.unskippable(null, gone, maxSkips);
    while (each != null) {
      Quota claimed = stand.claim(each, now);
      if (claimed != null) {
        return claimed;
      }
      each = tickets.unskippable(each, gone, maxSkips);
    }
    return null;
  }

  @Override
  public boolean waits(Ticket ticket) {
    return ticket instanceof Pending pending && pending.lane == this && !stand.withdrawn();
  }

  @Override
  public boolean keeps() {
    return stand.keeps();
  }

  @Override
  public void wake() {
    woken = true;
    signal.run();
  }
}
