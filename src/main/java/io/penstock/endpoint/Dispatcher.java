package io.penstock.endpoint;

import io.penstock.endpoint.Lane.Choice;
import io.penstock.queue.Bounds;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Line;
import io.penstock.quota.Quota;
import io.penstock.quota.Spend;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

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
  /** Who is told what was decided. */
  interface Clerk {
    void granted(Pending pending, Settlement settlement);

    void refused(Pending pending, Refusal refusal);

    void expired(Pending pending, Refusal refusal);
  }

  private static final Comparator<Pending> BY_DEADLINE =
      Comparator.comparingLong(Pending::deadlineNanos).thenComparingLong(Pending::order);

  private final Clerk clerk;
  private final Map<@Nullable String, Lane> lanes = new HashMap<>();
  private final TreeSet<Pending> deadlines = new TreeSet<>(BY_DEADLINE);
  private final Backlog backlog = new Backlog();
  private boolean paused;

  Dispatcher(Clerk clerk) {
    this.clerk = clerk;
  }

  /** Does all that can be done at {@code now}; returns the next instant at which there is more. */
  long step(long now) {
    boolean late = true;
    while (late) {
      late = expireOne(now - 1, now);
    }
    // Who can go at the very instant of its deadline goes, and needs no patience to go at once;
    // one that expires may have kept what the next needs.
    do {
      if (!paused) {
        release(now);
      }
    } while (expireOne(now, now));
    return next();
  }

  /** Ends the waiting of the first whose deadline is not after {@code until}; false if of none. */
  private boolean expireOne(long until, long now) {
    if (deadlines.isEmpty() || deadlines.first().deadlineNanos() > until) {
      return false;
    }
    Pending pending = deadlines.first();
    remove(pending, false);
    if (pending.decide(State.EXPIRED)) {
      long waited = now - pending.arrivedNanos();
      clerk.expired(pending, Admission.expired(waited));
    }
    return true;
  }

  private void release(long now) {
    for (Choice choice = choose(now); choice != null; choice = choose(now)) {
      grant(choice, now);
    }
  }

  /** The earliest ticket of all lanes that can go; lanes without one are set aside. */
  private @Nullable Choice choose(long now) {
    Choice best = null;
    for (Lane lane : lanes.values()) {
      while (lane.awake(now)) {
        Choice choice = lane.choose(now);
        if (choice == null) {
          lane.sleep(now);
        } else {
          best = best == null || choice.pending().order() < best.pending().order() ? choice : best;
          break;
        }
      }
    }
    return best;
  }

  /** Takes everything for a ticket and lets it go; or finds that it may not, or not yet. */
  private void grant(Choice choice, long now) {
    Pending pending = choice.pending();
    Route route = choice.route();
    if (pending.state() != State.PARKED) {
      remove(pending, false); // decided elsewhere, and about to leave
      return;
    }
    if (choice.held()) {
      choice.lane().hold(choice, now);
      return;
    }
    if (!choice.lane().passes(pending, route, now) || !mayTake(choice, now)) {
      return;
    }
    List<Spend> spends = route.take(pending.cost(), now);
    if (spends == null) {
      // Somebody else was faster: the next look sees what is left. What was taken and given back
      // may have looked gone to others meanwhile.
      route.wake();
      return;
    }
    remove(pending, true);
    int depth = (int) backlog.tickets();
    Settlement settlement = new Settlement(pending, route, spends, depth, now);
    if (pending.decide(State.GRANTED)) {
      clerk.granted(pending, settlement);
    } else {
      spends.forEach(spend -> spend.giveBack(now));
      route.wake();
    }
  }

  /**
   * Returns whether no earlier ticket claims what the choice would take. Only when all have been
   * asked is it known: who waits for one quota may claim another.
   */
  private static boolean mayTake(Choice choice, long now) {
    long order = choice.pending().order();
    for (Quota quota : choice.route().quotas()) {
      quota.line().ask(choice.lane(), order, now);
    }
    if (choice.route().keptFrom(order)) {
      return false;
    }
    Set<Line.Waiter> skipped = new HashSet<>(); // once each, in however many lines they stand
    for (Quota quota : choice.route().quotas()) {
      quota.line().skipped(choice.lane(), order, skipped);
    }
    skipped.forEach(Line.Waiter::skip);
    return true;
  }

  private long next() {
    long next = deadlines.isEmpty() ? Ticker.NEVER : deadlines.first().deadlineNanos();
    if (!paused) {
      for (Lane lane : lanes.values()) {
        next = Math.min(next, lane.wakeAt());
      }
    }
    return next;
  }

  /** Takes in a ticket: it goes at once, waits, or is refused. */
  void arrive(Pending pending, Routes routes, long now) {
    if (pending.state() != State.PARKED) {
      return; // its client was faster
    }
    Lane lane = lanes.get(pending.model());
    List<Route> ways = lane == null ? routes.of(pending.model(), now) : lane.routes();
    Refusal refusal = Admission.impossible(ways, routes, pending);
    if (refusal != null) {
      refuse(pending, refusal);
      return;
    }
    if (lane == null) {
      lane = new Lane(pending.model(), ways, routes.maxSkips(), routes.signal());
      lanes.put(pending.model(), lane);
    }
    long estimate = Admission.estimate(ways, backlog, pending, now);
    lane.add(pending, now);
    pending.counted = Admission.counted(ways, pending);
    backlog.add(pending);
    if (pending.deadlineNanos() != Ticker.NEVER) {
      deadlines.add(pending);
    }
    step(now);
    if (pending.queued()) {
      refusal = Admission.refusal(routes.bounds(), backlog, pending, estimate, lane.wakeAt() - now);
      if (refusal != null) {
        remove(pending, false);
        refuse(pending, refusal);
      }
    }
  }

  private void refuse(Pending pending, Refusal refusal) {
    if (pending.decide(State.REFUSED)) {
      clerk.refused(pending, refusal);
    }
  }

  /** Lets go of a ticket that was decided elsewhere. */
  void leave(Pending pending) {
    if (pending.queued()) {
      remove(pending, false);
    }
  }

  private void remove(Pending pending, boolean passed) {
    Lane lane = pending.lane;
    if (lane == null) {
      throw new IllegalStateException("ticket " + pending.order() + " has no lane");
    }
    lane.remove(pending, passed);
    backlog.remove(pending);
    deadlines.remove(pending);
    if (lane.tickets().size() == 0) {
      lanes.remove(lane.model());
    }
  }

  /** Sends all tickets by new routes; those that can never fit any more are refused. */
  void reroute(Routes routes, long now) {
    for (Lane lane : List.copyOf(lanes.values())) {
      lane.reroute(routes.of(lane.model(), now), routes.maxSkips());
      if (!paused) {
        lane.join();
      }
      lane.tickets()
          .forEach(
              pending -> {
                Refusal refusal = Admission.impossible(lane.routes(), routes, pending);
                if (refusal != null) {
                  remove(pending, false);
                  refuse(pending, refusal);
                }
              });
    }
  }

  /** Refuses everyone who waits. */
  void close(Refusal refusal) {
    for (Lane lane : List.copyOf(lanes.values())) {
      lane.tickets()
          .forEach(
              pending -> {
                remove(pending, false);
                refuse(pending, refusal);
              });
    }
  }

  /** Stops or restarts letting tickets go; their time runs on. */
  void pause(boolean stop) {
    paused = stop;
    // Who may not go keeps nothing from others, and is not skipped by them.
    lanes.values().forEach(stop ? Lane::withdraw : Lane::join);
  }

  /** Returns when the ticket that waits longest arrived, or NEVER when none waits. */
  long oldestNanos() {
    long oldest = Ticker.NEVER;
    for (Lane lane : lanes.values()) {
      Pending first = lane.tickets().first();
      oldest = first == null ? oldest : Math.min(oldest, first.arrivedNanos());
    }
    return oldest;
  }

  Backlog backlog() {
    return backlog;
  }

  /** How tickets of this endpoint can go, and within which bounds they wait. */
  interface Routes {
    /** The ways a ticket for a model can go; empty when no upstream serves it. */
    List<Route> of(@Nullable String model, long now);

    /** Why there is no way for a model. */
    Reason noWay(@Nullable String model);

    Bounds bounds();

    int maxSkips();

    Runnable signal();
  }
}
