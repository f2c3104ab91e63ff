package io.penstock.endpoint;

import io.penstock.queue.Discipline;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Line;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides when the tickets of one endpoint are released, for all limits and orders alike: {@link
 * #step} expires tickets, grants those that can go, and returns when to call it again.
 *
 * <p>A ticket is granted when every quota of one of its routes admits it; then each of them is
 * charged, otherwise none. The first ticket in order that can go goes first. A later one may
 * overtake an earlier one that lacks room, but only a limited number of times (see {@link
 * io.penstock.quota.Line}). Nothing here blocks, runs timers or runs a request's code; the {@link
 * Clerk} receives the decisions. Only one thread at a time may use it, the owner of the queue.
 */
final class Dispatcher {
  private final Clerk clerk;
  private final Routes routes;
  private final Parked parked;
  private final Lanes lanes;
  private final Deadlines deadlines;
  private final Backlog backlog;
  private final Overflow overflow;
  private final Why why = new Why();

  /** Lanes that the next grant skips; a set, as it may meet a lane in several wait lists. */
  private final Set<Line.Waiter> skipped = new HashSet<>();

  Dispatcher(Clerk clerk, Routes routes) {
    this.clerk = clerk;
    this.routes = routes;
    this.parked = new Parked(this, routes);
    this.lanes = parked.lanes();
    this.deadlines = parked.deadlines();
    this.backlog = parked.backlog();
    this.overflow = parked.overflow();
  }

  /** Makes all decisions due by {@code now}; returns the next instant at which more may be due. */
  long step(long now) {
    expireLate(now);
    widen(now);
    // Releases come first, so that a ticket can go at its very deadline, and one without patience
    // at once. They are repeated, because an expired ticket may have had a claim on what others
    // need.
    do {
      do {
        release(now);
      } while (letIn(now));
    } while (expireOne(now, now));
    return next();
  }

  /** Expires the tickets with a deadline before {@code now}. */
  private void expireLate(long now) {
    boolean late = true;
    while (late) {
      late = expireOne(now - 1, now);
    }
  }

  /** Expires the first ticket due at or before {@code until}; returns whether there was one. */
  private boolean expireOne(long until, long now) {
    Pending pending = deadlines.due(until);
    if (pending == null) {
      return false;
    }
    why.stays(pending, parked.ways(pending, now), now);
    if (take(pending, State.EXPIRED)) {
      long waited = now - pending.arrivedNanos();
      clerk.expired(pending, Admission.expired(waited));
    }
    return true;
  }

  private void release(long now) {
    if (why.paused()) {
      return;
    }
    parked.stopAvoidingInVain(now);
    do {
      Choice each;
      while ((each = lanes.choose(parked.discipline(), now)) != null) {
        grant(each, now);
      }
    } while (parked.stopAvoidingInVain(now));
    lanes.setAside().forEach(lane -> refuseHopeless(lane, now));
  }

  /** Refuses tickets that only a daily reset or the end of an outage could release. */
  private void refuseHopeless(Lane lane, long now) {
    Refusal refusal = Admission.hopeless(lane.routes(), now);
    if (refusal != null) {
      lane.tickets().forEach(pending -> turnAway(pending, lane.routes(), refusal, now));
    }
  }

  /** Moves blocked tickets into the queue while it has places; returns whether any moved. */
  private boolean letIn(long now) {
    boolean any = false;
    Pending first = overflow.first();
    while (first != null && Admission.full(routes.bounds(), backlog, first) == null) {
      overflow.remove(first);
      Lane lane = parked.enqueue(first, now);
      if (!why.paused()) {
        lane.join(); // others can count it as skipped
      }
      any = true;
      first = overflow.first();
    }
    return any;
  }

  /** Takes from all quotas of a route and grants the ticket, unless it may not go yet after all. */
  private void grant(Choice choice, long now) {
    Pending pending = choice.pending();
    Route route = choice.route();
    if (pending.state() != State.PARKED) {
      parked.remove(pending, false); // decided elsewhere, and about to leave
      return;
    }
    if (choice.held()) {
      choice.lane().hold(choice, now);
      return;
    }
    if (!choice.lane().passes(pending, route, now) || !route.yields(choice, skipped, now)) {
      return;
    }
    if (!skipped.isEmpty()) {
      skipped.forEach(each -> each.skip(pending));
      skipped.clear();
    }
    why.goes(pending, choice.lane(), now);
    Spends spends = route.take(pending, now);
    if (spends == null) {
      // Another thread took first; the next step sees what is left. What was taken and given back
      // may have looked used up to others.
      route.wake();
      return;
    }
    if (!pending.decide(State.GRANTED)) {
      parked.remove(pending, false); // its client went away first
      spends.giveBack(now);
      route.wake();
      return;
    }
    parked.remove(pending, true);
    int depth = (int) backlog.tickets();
    Settlement settlement =
        new Settlement(pending, route, spends.with(pending.taken()), depth, now);
    parked.discipline().charge(pending);
    parked.moved();
    clerk.granted(pending, settlement);
  }

  /**
   * Decides a waiting ticket, then removes it from wherever it waits: as long as it is in its lane
   * and undecided, other threads may claim a quota for it.
   *
   * @return false when another thread decided it first
   */
  private boolean take(Pending pending, State decision) {
    boolean decided = pending.decide(decision);
    parked.remove(pending, false);
    return decided;
  }

  private long next() {
    long next = deadlines.firstNanos();
    return why.paused() ? next : Math.min(next, lanes.wakeAt());
  }

  /** Accepts a new ticket: grants it at once, queues or blocks it, or refuses it. */
  void arrive(Pending pending, long now) {
    if (pending.state() != State.PARKED) {
      return; // its client went away first
    }
    expireLate(now); // expired tickets take no place
    List<Route> ways = lanes.ways(pending.facing, now);
    Refusal refusal = Admission.inVain(ways, routes, pending, now);
    if (refusal != null) {
      why.inVain(pending, ways, now);
      refuse(pending, refusal);
      return;
    }
    parked.enter(pending, ways);
    long estimate =
        Outlook.waitNanos(pending, ways, parked.discipline(), lanes, backlog, overflow, now);
    if (overflow.tickets() == 0) {
      parked.enqueue(pending, now);
      step(now);
      if (pending.queued()) {
        admit(pending, estimate, now);
      }
    } else {
      block(pending, estimate, now); // nobody overtakes blocked tickets
    }
  }

  /** Puts a ticket that comes back to its old place in the queue; the bounds do not apply. */
  void back(Pending pending, long now) {
    if (pending.state() != State.PARKED) {
      return;
    }
    List<Route> ways = routes.of(pending.facing, now);
    Refusal refusal = Admission.impossible(ways, routes, pending);
    boolean avoids = pending.facing.not() != null;
    if (avoids && (refusal != null || !Admission.anyAvailable(ways, now))) {
      pending.facing = pending.facing.avoidingNone(); // others never can, or cannot soon
      back(pending, now);
    } else if (refusal == null) {
      parked.enter(pending, ways);
      parked.enqueue(pending, now);
    } else {
      why.inVain(pending, ways, now);
      refuse(pending, refusal);
    }
  }

  /** Lets fallback models serve the tickets that have waited long enough for their own model. */
  private void widen(long now) {
    for (Pending each = deadlines.widens(now); each != null; each = deadlines.widens(now)) {
      boolean blocked = each.blocked;
      if (!blocked) {
        parked.leaveLane(each, false);
      }
      each.facing = each.facing.widened();
      if (!blocked) {
        parked.enqueue(each, now);
      }
    }
  }

  /** Leaves a ticket that cannot go at once in the queue, or blocks or refuses it. */
  private void admit(Pending pending, long estimate, long now) {
    Refusal refusal = Admission.tooLong(pending, estimate);
    Lane lane = pending.lane;
    long soonest = lane == null ? Ticker.NEVER : lane.wakeAt() - now;
    backlog.remove(pending);
    String full = Admission.full(routes.bounds(), backlog, pending);
    backlog.add(pending);
    if (full == null && refusal == null) {
      return;
    }
    if (refusal == null && parked.mayHold(pending)) {
      parked.remove(pending, false);
      parked.hold(pending);
      return;
    }
    why.stays(pending, parked.ways(pending, now), now);
    if (take(pending, State.REFUSED)) {
      clerk.refused(
          pending, refusal == null ? Admission.queueFull(String.valueOf(full), soonest) : refusal);
    }
  }

  private void block(Pending pending, long estimate, long now) {
    Refusal refusal = Admission.tooLong(pending, estimate);
    if (refusal == null && parked.mayHold(pending)) {
      parked.hold(pending);
      return;
    }
    deadlines.remove(pending);
    why.stays(pending, parked.ways(pending, now), now);
    refuse(
        pending,
        refusal == null
            ? Admission.queueFull(routes.maxBlocked() + " blocked tickets", next() - now)
            : refusal);
  }

  private void refuse(Pending pending, Refusal refusal) {
    if (pending.decide(State.REFUSED)) {
      clerk.refused(pending, refusal);
    }
  }

  /** Removes a ticket because its client went away. */
  void leave(Pending pending, long now) {
    if (pending.waits()) {
      if (Why.isLong(pending, now)) {
        why.stays(pending, parked.ways(pending, now), now);
      }
      parked.remove(pending, false);
    }
    clerk.left(pending, now);
  }

  /** Refuses a ticket, queued or blocked; returns false when it no longer waits. */
  boolean throwOut(Pending pending, Refusal refusal, long now) {
    if (pending.state() != State.PARKED) {
      return false;
    }
    why.stays(pending, parked.ways(pending, now), now);
    if (!pending.decide(State.REFUSED)) {
      return false;
    }
    if (pending.waits()) {
      parked.remove(pending, false);
    }
    clerk.refused(pending, refusal);
    return true;
  }

  /** Corrects the order by the tokens that a granted ticket really used. */
  void settled(Pending pending, long usedTokens) {
    parked.discipline().settle(pending, usedTokens);
    parked.moved();
  }

  /** Gives tickets new routes and the configured order; refuses those that can no longer fit. */
  void reroute(long now) {
    Discipline<Pending> configured = routes.discipline();
    boolean reorder = !configured.same(parked.discipline());
    if (reorder) {
      parked.discipline(configured);
    }
    for (Lane lane : lanes.copy()) {
      if (reorder) {
        lane.reorder(configured);
      }
      lane.reroute(routes.of(lane.facing(), now), routes.maxSkips());
      if (!why.paused()) {
        lane.join();
      }
    }
    for (Lane lane : lanes.copy()) {
      lane.tickets().forEach(pending -> drop(pending, lane.routes(), now));
    }
    for (Pending pending : overflow.all()) {
      if (reorder) {
        pending.enter(configured);
      }
      drop(pending, routes.of(pending.facing, now), now);
      dropFromOverflow(pending);
    }
  }

  /** Refuses a blocked ticket that does not fit even an empty queue: it would block others. */
  private void dropFromOverflow(Pending pending) {
    String full = Admission.full(routes.bounds(), new Backlog(), pending);
    if (pending.blocked && full != null) {
      turnAway(pending, Admission.queueFull(full, Ticker.NEVER));
    }
  }

  private void drop(Pending pending, List<Route> ways, long now) {
    if (Admission.impossible(ways, routes, pending) != null) {
      parked.remove(pending, false);
      back(pending, now);
    }
  }

  /** Refuses all waiting tickets. */
  void close(Refusal refusal) {
    overflow.all().forEach(pending -> turnAway(pending, refusal));
    for (Lane lane : lanes.copy()) {
      lane.tickets().forEach(pending -> turnAway(pending, refusal));
    }
  }

  private void turnAway(Pending pending, List<Route> ways, Refusal refusal, long now) {
    why.inVain(pending, ways, now);
    turnAway(pending, refusal);
  }

  private void turnAway(Pending pending, Refusal refusal) {
    if (take(pending, State.REFUSED)) {
      clerk.refused(pending, refusal);
    }
  }

  /** Stops or restarts releases; deadlines run on meanwhile. */
  void pause(boolean stop, long now) {
    why.pause(stop, now);
    // Paused tickets keep no claims and are not skipped.
    lanes.all().forEach(stop ? Lane::withdraw : Lane::join);
  }

  /** Returns all waiting tickets. */
  Parked parked() {
    return parked;
  }

  /** Returns the recorder of why tickets wait. */
  Why why() {
    return why;
  }
}
