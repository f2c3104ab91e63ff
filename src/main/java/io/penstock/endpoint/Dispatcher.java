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
 * Lets tickets go. There is one machine for all limits and orders: {@link #step} ends the waiting
 * of those whose time is up, lets everyone go who can, and says when to be called again.
 *
 * <p>A ticket goes when every quota of one of its routes admits it: all are taken, or none. Of all
 * that can go the earliest goes first; a later one may pass an earlier one that lacks room, but
 * only so often (see {@link io.penstock.quota.Line}). Nothing here waits, ticks, or runs a
 * request's code; what was decided is told to {@link Clerk}. One thread at a time owns it.
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

  /** Who is skipped by a ticket that goes: once each, in however many lines they stand. */
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

  /** Does all that can be done at {@code now}; returns the next instant at which there is more. */
  long step(long now) {
    expireLate(now);
    widen(now);
    // Who can go at the very instant of its deadline goes, and needs no patience to go at once;
    // one that expires may have kept what the next needs.
    do {
      do {
        release(now);
      } while (letIn(now));
    } while (expireOne(now, now));
    return next();
  }

  /** Ends the waiting of those whose time was up before {@code now}. */
  private void expireLate(long now) {
    boolean late = true;
    while (late) {
      late = expireOne(now - 1, now);
    }
  }

  /** Ends the waiting of the first whose deadline is not after {@code until}; false if of none. */
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

  /** Nobody waits for a day, or for what refuses all. */
  private void refuseHopeless(Lane lane, long now) {
    Refusal refusal = Admission.hopeless(lane.routes(), now);
    if (refusal != null) {
      lane.tickets().forEach(pending -> turnAway(pending, lane.routes(), refusal, now));
    }
  }

  /** Lets those into the queue for whom there is a place by now; returns whether there was one. */
  private boolean letIn(long now) {
    boolean any = false;
    Pending first = overflow.first();
    while (first != null && Admission.full(routes.bounds(), backlog, first) == null) {
      overflow.remove(first);
      Lane lane = parked.enqueue(first, now);
      if (!why.paused()) {
        lane.join(); // who is let in with others is skipped by none of them unseen
      }
      any = true;
      first = overflow.first();
    }
    return any;
  }

  /** Takes everything for a ticket and lets it go; or finds that it may not, or not yet. */
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
      // Somebody else was faster: the next look sees what is left. What was taken and given back
      // may have looked gone to others meanwhile.
      route.wake();
      return;
    }
    if (!pending.decide(State.GRANTED)) {
      parked.remove(pending, false); // its client was faster
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
   * Decides a ticket that waits, and removes it wherever it does. In this order: while it can be
   * found in its lane and is not decided yet, others may claim a quota for it.
   *
   * @return false when something else decided it first
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

  /** Takes in a ticket: it goes at once, waits, or is refused. */
  void arrive(Pending pending, long now) {
    if (pending.state() != State.PARKED) {
      return; // its client was faster
    }
    expireLate(now); // whose time is up takes no place from who comes
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
      block(pending, estimate, now); // nobody overtakes those who wait for a place
    }
  }

  /** Takes in a ticket that comes back: it waits at its old place, whatever the bounds. */
  void back(Pending pending, long now) {
    if (pending.state() != State.PARKED) {
      return;
    }
    List<Route> ways = routes.of(pending.facing, now);
    Refusal refusal = Admission.impossible(ways, routes, pending);
    boolean avoids = pending.facing.not() != null;
    if (avoids && (refusal != null || !Admission.anyAvailable(ways, now))) {
      pending.facing = pending.facing.avoidingNone(); // the others never could, or cannot soon
      back(pending, now);
    } else if (refusal == null) {
      parked.enter(pending, ways);
      parked.enqueue(pending, now);
    } else {
      why.inVain(pending, ways, now);
      refuse(pending, refusal);
    }
  }

  /** Has other models serve those who have waited long enough for their own. */
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

  /** Lets a ticket that cannot go at once stay in the queue, if it may. */
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

  /** Lets go of a ticket whose client went away. */
  void leave(Pending pending, long now) {
    if (pending.waits()) {
      if (Why.isLong(pending, now)) {
        why.stays(pending, parked.ways(pending, now), now);
      }
      parked.remove(pending, false);
    }
    clerk.left(pending, now);
  }

  /** Refuses one that waits, wherever it does; returns false when it does not any more. */
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

  /** Takes note of what a ticket that went has used. */
  void settled(Pending pending, long usedTokens) {
    parked.discipline().settle(pending, usedTokens);
    parked.moved();
  }

  /**
   * Sends all tickets by new routes and in the order that is configured now; those that can never
   * fit any more are refused.
   */
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

  /** Who waits for a place that there will never be keeps it from all behind. */
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

  /** Refuses everyone who waits. */
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

  /** Stops or restarts letting tickets go; their time runs on. */
  void pause(boolean stop, long now) {
    why.pause(stop, now);
    // Who may not go keeps nothing from others, and is not skipped by them.
    lanes.all().forEach(stop ? Lane::withdraw : Lane::join);
  }

  /** All who wait. */
  Parked parked() {
    return parked;
  }

  /** Why tickets wait. */
  Why why() {
    return why;
  }
}
