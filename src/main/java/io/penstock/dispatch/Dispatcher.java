package io.penstock.dispatch;

import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.WaitList;
import io.penstock.refusal.Refusal;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the tickets of one endpoint are released, for all limits and orders alike: {@link
 * #step} expires tickets, grants those that can go, and returns when to call it again.
 *
 * <p>A ticket is granted when every quota of one of its routes admits it; then each of them is
 * charged, otherwise none. The first ticket in order that can go goes first. A later one may
 * overtake an earlier one that lacks room, but only a limited number of times (see {@link
 * io.penstock.quota.WaitList}). Nothing here blocks, runs timers or runs a request's code; the
 * {@link DispatchListener} receives the decisions. Only one thread at a time may use it, the owner
 * of the queue.
 */
public final class Dispatcher {
  private final DispatchListener dispatchListener;
  private final RouteSource routeSource;
  private final WaitingRoom waitingRoom;
  private final LaneIndex laneIndex;
  private final LookCount lookCount;
  private final WaitRecorder recorder;
  private final PromisedReturns promised = new PromisedReturns();
  private final SpacedEstimates returns = new SpacedEstimates();
  private final SpacedEstimates places = new SpacedEstimates();
  private final CacheWarmups warmups = new CacheWarmups();

  /** Whether its tickets are copies. */
  private final boolean dry;

  private boolean paused;

  /** Lanes that the next grant skips; a set, as it may meet a lane in several wait lists. */
  @SharedState("lanes")
  private final Set<WaitList.Waiter> skipped = new HashSet<>();

  public Dispatcher(
      DispatchListener dispatchListener, RouteSource routeSource, WaitRecorder recorder) {
    this(dispatchListener, routeSource, recorder, false);
  }

  private Dispatcher(
      DispatchListener dispatchListener,
      RouteSource routeSource,
      WaitRecorder recorder,
      boolean dry) {
    this.dry = dry;
    this.recorder = recorder;
    this.dispatchListener = dispatchListener;
    this.routeSource = routeSource;
    this.waitingRoom = new WaitingRoom(this, routeSource, recorder);
    this.laneIndex = waitingRoom.lanes();
    this.lookCount = laneIndex.lookCount();
  }

  /** Creates a dispatcher of copies, which tells nobody when to come back. */
  Dispatcher(DryRun run, int mostLooks) {
    this(run, run, run, true);
    lookCount.begin(mostLooks);
  }

  /**
   * Makes the decisions due by {@code now}; returns the next instant at which more may be due. That
   * is {@code now} if there were so many that others should have a turn first.
   */
  public long step(long now) {
    begin();
    return decide(now);
  }

  private void begin() {
    if (!dry) { // all steps of a dry run have their looks together
      lookCount.begin(LookCount.MOST);
    }
  }

  private long decide(long now) {
    lookCount.add(1);
    expireLate(now);
    if (lateWait(now)) {
      return now; // they must not go any more
    }
    waitingRoom.widenLate(now);
    // Releases come first, so that a ticket can go at its very deadline, and one without patience
    // at once. They are repeated, because an expired ticket may have had a claim on what others
    // need. For the same reason tickets leave the upstream to which affinity keeps them after that.
    do {
      do {
        release(now);
      } while (!lookCount.spent() && (admitBlocked(now) || waitingRoom.departLate(now)));
    } while (lookCount.left() > 0 && expireOne(now, now));
    return lookCount.left() == 0 ? now : next();
  }

  /** Expires the tickets with a deadline before {@code now}. */
  private void expireLate(long now) {
    boolean late = true;
    while (late && lookCount.left() > 0) {
      late = expireOne(now - 1, now);
    }
  }

  /** Returns whether tickets wait with a deadline before {@code now}: there were too many. */
  private boolean lateWait(long now) {
    return waitingRoom.due(now - 1) != null;
  }

  /** Expires the first ticket due at or before {@code until}; returns whether there was one. */
  private boolean expireOne(long until, long now) {
    ParkedTicket parkedTicket = waitingRoom.due(until);
    if (parkedTicket == null) {
      return false;
    }
    lookCount.add(1);
    List<TicketRoute> routes = waitingRoom.routesOf(parkedTicket, now);
    recorder.recordWaiting(parkedTicket, routes, now);
    if (take(parkedTicket, State.EXPIRED)) {
      boolean kept = parkedTicket.fingerprint() != null;
      Refusal refusal = AdmissionCheck.expired(now - parkedTicket.arrivedNanos(), kept);
      long longest = parkedTicket.deadlineNanos() - parkedTicket.arrivedNanos();
      dispatchListener.refused(
          parkedTicket, kept ? refusal : promise(refusal, parkedTicket, longest, routes, now));
    }
    return true;
  }

  private void release(long now) {
    if (paused) {
      return;
    }
    waitingRoom.stopAvoidingInVain(now);
    do {
      ReleaseChoice each;
      while (!lookCount.spent()
          && (each = laneIndex.choose(waitingRoom.discipline(), now)) != null) {
        grant(each, now);
      }
    } while (waitingRoom.stopAvoidingInVain(now) || leaveSetAside(now));
  }

  /**
   * Gives the tickets that were set aside another way, or refuses them, if their routes take no
   * requests; returns whether any has another way.
   */
  private boolean leaveSetAside(long now) {
    boolean any = false;
    for (Lane lane : laneIndex.setAside()) {
      any |= waitingRoom.detour(lane, now);
      refuseHopeless(lane, now);
    }
    return any;
  }

  /** Refuses tickets that only a daily reset or the end of an outage could release. */
  private void refuseHopeless(Lane lane, long now) {
    List<TicketRoute> routes = lane.routes();
    Refusal refusal = AdmissionCheck.hopeless(routes, now);
    if (refusal == null && !AdmissionCheck.haveDays(routes)) {
      return;
    }
    lookCount.add(lane.tickets().size());
    lane.tickets()
        .forEach(
            parkedTicket -> {
              Refusal own =
                  refusal == null ? AdmissionCheck.usedUp(routes, parkedTicket, now) : refusal;
              if (own != null) {
                turnAway(parkedTicket, routes, own, now);
              }
            });
  }

  /** Moves blocked tickets into the queue while it has places; returns whether any moved. */
  private boolean admitBlocked(long now) {
    boolean any = false;
    ParkedTicket first = waitingRoom.firstBlocked();
    while (first != null && waitingRoom.full(first) == null) {
      Lane lane = waitingRoom.unblock(first, now);
      if (!paused) {
        lane.join(); // others can count it as skipped
      }
      any = true;
      first = waitingRoom.firstBlocked();
    }
    return any;
  }

  /** Takes from all quotas of a route and grants the ticket, unless it may not go yet after all. */
  private void grant(ReleaseChoice choice, long now) {
    ParkedTicket parkedTicket = choice.ticket();
    TicketRoute ticketRoute = choice.route();
    if (parkedTicket.state() != State.PARKED) {
      waitingRoom.remove(parkedTicket, false); // decided elsewhere, and about to leave
      return;
    }
    if (waitingRoom.hold(parkedTicket, ticketRoute, now)) {
      return; // it goes on in another lane
    }
    if (choice.onlyPaced()) {
      choice.lane().claimForPace(choice, now);
      return;
    }
    if (!choice.lane().mayPass(parkedTicket, ticketRoute, now)
        || !choice.mayTake(skipped, lookCount, now)) {
      return;
    }
    laneIndex.addHeld(parkedTicket, skipped, now);
    if (!skipped.isEmpty()) {
      skipped.forEach(each -> each.skip(parkedTicket));
      skipped.clear();
    }
    Lane lane = choice.lane();
    lane.recorder().goes(parkedTicket, lane.routes(), now);
    TicketCharges ticketCharges = ticketRoute.take(parkedTicket, now);
    if (ticketCharges == null) {
      // Another thread took first; the next step sees what is left. What was taken and given back
      // may have looked used up to others.
      ticketRoute.wake();
      return;
    }
    if (!parkedTicket.decide(State.GRANTED)) {
      waitingRoom.remove(parkedTicket, false); // its client went away first
      ticketCharges.giveBack(now);
      ticketRoute.leaveTrials(now);
      ticketRoute.wake();
      return;
    }
    waitingRoom.remove(parkedTicket, true);
    WarmupGroup group = parkedTicket.warmup();
    if (group != null) {
      group.granted(parkedTicket, now);
    }
    int depth = (int) waitingRoom.queuedTickets();
    TicketSettlement settlement =
        new TicketSettlement(
            parkedTicket, ticketRoute, ticketCharges.with(parkedTicket.takenCharges()), depth, now);
    waitingRoom.discipline().charge(parkedTicket);
    dispatchListener.granted(parkedTicket, settlement);
  }

  /**
   * Decides a waiting ticket, then removes it from wherever it waits: as long as it is in its lane
   * and undecided, other threads may claim a quota for it.
   *
   * @return false when another thread decided it first
   */
  private boolean take(ParkedTicket parkedTicket, State decision) {
    boolean decided = parkedTicket.decide(decision);
    waitingRoom.remove(parkedTicket, false);
    if (decided) {
      parkedTicket.gone();
    }
    return decided;
  }

  private long next() {
    long next = waitingRoom.firstDueNanos();
    return paused ? next : Math.min(next, laneIndex.wakeAt());
  }

  /** Accepts a new ticket: grants it at once, queues or blocks it, or refuses it. */
  public void arrive(ParkedTicket parkedTicket, long now) {
    if (parkedTicket.state() != State.PARKED) {
      return; // its client went away first
    }
    begin();
    expireLate(now); // expired tickets take no place
    joinWarmup(parkedTicket, now);
    List<TicketRoute> routes = laneIndex.routesOf(parkedTicket.laneKey(), now);
    LaneKey detour = waitingRoom.detour(parkedTicket, routes, now);
    if (detour != null) {
      recorder.recordDetour(parkedTicket, routes, now);
      parkedTicket.setLaneKey(detour);
      routes = laneIndex.routesOf(detour, now);
    }
    Refusal refusal = AdmissionCheck.inVain(routes, routeSource, parkedTicket, now);
    if (refusal != null && depart(parkedTicket, now)) {
      arrive(parkedTicket, now);
      return;
    }
    if (refusal != null) {
      recorder.recordHopeless(parkedTicket, routes, now);
      refuse(parkedTicket, refusal);
      return;
    }
    waitingRoom.enter(parkedTicket, routes, now);
    Refusal own = OwnLimits.beyondDeadline(parkedTicket, waitingRoom, now);
    if (own != null) {
      waitingRoom.forget(parkedTicket);
      recorder.recordHopeless(parkedTicket, routes, now);
      refuse(parkedTicket, own);
      return;
    }
    WaitForecast estimate = WaitEstimate.ofArrival(parkedTicket, routes, waitingRoom, now);
    if (waitingRoom.firstBlocked() == null) {
      waitingRoom.enqueue(parkedTicket, now);
      decide(now);
      if (parkedTicket.queued() && !lateWait(now)) {
        admit(parkedTicket, estimate, now);
      }
    } else {
      block(parkedTicket, estimate, now); // nobody overtakes blocked tickets
    }
  }

  /** Makes a ticket wait with earlier ones until one of them has warmed the cache for all. */
  private void joinWarmup(ParkedTicket parkedTicket, long now) {
    WarmupGroup group =
        warmups.join(parkedTicket, (alone, of) -> waitingRoom.moveBehind(alone, of, now));
    if (group != null) {
      parkedTicket.setLaneKey(parkedTicket.laneKey().behind(group));
    }
  }

  /**
   * Lets any upstream serve a ticket that does not wait yet if affinity keeps it to one for a time
   * only; returns whether it does.
   */
  private boolean depart(ParkedTicket parkedTicket, long now) {
    LaneKey next = waitingRoom.departure(parkedTicket, now);
    if (next != null) {
      parkedTicket.setLaneKey(next);
    }
    return next != null;
  }

  /**
   * Puts a ticket that comes back to its old place in the queue; the bounds do not apply. One that
   * no upstream can serve for a while is refused, as if it came anew.
   */
  public void returnToQueue(ParkedTicket parkedTicket, long now) {
    if (parkedTicket.state() != State.PARKED) {
      return;
    }
    List<TicketRoute> routes = routeSource.of(parkedTicket.laneKey(), now);
    Refusal refusal = AdmissionCheck.inVain(routes, routeSource, parkedTicket, now);
    boolean avoids = !parkedTicket.laneKey().avoidedUpstreams().isEmpty();
    if (avoids && (refusal != null || !AdmissionCheck.anyAvailable(routes, now))) {
      parkedTicket.setLaneKey(
          parkedTicket.laneKey().avoidingNone()); // others never can, or cannot soon
      returnToQueue(parkedTicket, now);
      return;
    }
    LaneKey detour = waitingRoom.detour(parkedTicket, routes, now);
    if (detour != null) {
      recorder.recordDetour(parkedTicket, routes, now);
      parkedTicket.setLaneKey(detour);
      returnToQueue(parkedTicket, now);
    } else if (refusal == null) {
      waitingRoom.enter(parkedTicket, routes, now);
      waitingRoom.enqueue(parkedTicket, now);
    } else if (depart(parkedTicket, now)) {
      returnToQueue(parkedTicket, now);
    } else {
      recorder.recordHopeless(parkedTicket, routes, now);
      refuse(parkedTicket, refusal);
    }
  }

  /** Leaves a ticket that cannot go at once in the queue, or blocks or refuses it. */
  private void admit(ParkedTicket parkedTicket, WaitForecast estimate, long now) {
    Refusal refusal = AdmissionCheck.tooLong(parkedTicket, estimate);
    long soonest = parkedTicket.lane() instanceof Lane lane ? lane.wakeAt() - now : Ticker.NEVER;
    String full = waitingRoom.overfull(parkedTicket);
    String share = waitingRoom.overShare(parkedTicket, now);
    if (full == null && share == null && refusal == null) {
      return;
    }
    if (refusal == null && share == null && waitingRoom.mayBlock(parkedTicket)) {
      waitingRoom.remove(parkedTicket, false);
      waitingRoom.block(parkedTicket);
      return;
    }
    List<TicketRoute> routes = waitingRoom.routesOf(parkedTicket, now);
    recorder.recordWaiting(parkedTicket, routes, now);
    if (take(parkedTicket, State.REFUSED)) {
      dispatchListener.refused(
          parkedTicket,
          refusal == null
              ? promisePlace(noPlace(full, share, soonest), parkedTicket, routes, now)
              : promise(refusal, parkedTicket, parkedTicket.refusesAboveNanos(), routes, now));
    }
  }

  private Refusal noPlace(@Nullable String full, @Nullable String share, long soonest) {
    return share != null && (full == null || routeSource.maxBlocked() > 0)
        ? AdmissionCheck.noPlace(share, soonest)
        : AdmissionCheck.queueFull(String.valueOf(full), soonest);
  }

  /**
   * Returns a refusal with the time after which the ticket, if it came back, would go within the
   * time it may wait, and counts it for tickets refused later. The refusal stays as it is, with the
   * advice to come back soon, when that time is not known, and when a wait that has just been too
   * long looks short.
   */
  private Refusal promise(
      Refusal refusal,
      ParkedTicket parkedTicket,
      long longestNanos,
      List<TicketRoute> routes,
      long now) {
    if (paused || dry) {
      return refusal;
    }
    promised.forget(now);
    long held = promised.withdraw(parkedTicket, now);
    long wait =
        returns.next(
            () ->
                WaitEstimate.ofReturn(
                        parkedTicket,
                        waitingRoom.laterRoutesOf(parkedTicket, routes, now),
                        waitingRoom,
                        promised,
                        now)
                    .waitNanos(),
            now);
    if (wait == Ticker.NEVER) {
      return refusal;
    }
    if (wait <= longestNanos && !known(refusal)) {
      promised.promise(parkedTicket, Refusal.DEFAULT_RETRY_NANOS, now);
      return refusal;
    }
    long after = Math.max(refusal.retryAfterNanos(), Math.min(held, wait - longestNanos));
    promised.promise(parkedTicket, after, now);
    return refusal.retryAfter(after);
  }

  /**
   * Returns the refusal of a ticket that finds no place in the queue, with the time at which there
   * is a place for it, and counts it for tickets refused later.
   *
   * @param refusal a refusal with the time after which the first place is free, if that is known
   */
  private Refusal promisePlace(
      Refusal refusal, ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    if (!known(refusal) || paused || dry) {
      return refusal;
    }
    promised.forget(now);
    long held = promised.withdraw(parkedTicket, now);
    long place =
        places.next(
            () ->
                WaitEstimate.ofPlace(parkedTicket, routes, waitingRoom, promised, now).waitNanos(),
            now);
    long first = refusal.retryAfterNanos();
    long after = place == Ticker.NEVER ? first : Math.max(first, Math.min(held, place));
    promised.promise(parkedTicket, after, now);
    return refusal.retryAfter(after);
  }

  private static boolean known(Refusal refusal) {
    return refusal.retryAfterNanos() != Refusal.UNKNOWN;
  }

  private void block(ParkedTicket parkedTicket, WaitForecast estimate, long now) {
    Refusal refusal = AdmissionCheck.tooLong(parkedTicket, estimate);
    String share = waitingRoom.overShare(parkedTicket, now);
    if (refusal == null && share == null && waitingRoom.mayBlock(parkedTicket)) {
      waitingRoom.block(parkedTicket);
      return;
    }
    waitingRoom.forget(parkedTicket);
    List<TicketRoute> routes = waitingRoom.routesOf(parkedTicket, now);
    recorder.recordWaiting(parkedTicket, routes, now);
    String full = routeSource.maxBlocked() + " blocked tickets";
    refuse(
        parkedTicket,
        refusal == null
            ? promisePlace(noPlace(full, share, next() - now), parkedTicket, routes, now)
            : promise(refusal, parkedTicket, parkedTicket.refusesAboveNanos(), routes, now));
  }

  private void refuse(ParkedTicket parkedTicket, Refusal refusal) {
    if (parkedTicket.decide(State.REFUSED)) {
      parkedTicket.gone();
      dispatchListener.refused(parkedTicket, refusal);
    }
  }

  /** Removes a ticket because its client went away. */
  public void leave(ParkedTicket parkedTicket, long now) {
    if (parkedTicket.waits()) {
      if (WaitRecorder.isLong(parkedTicket, now)) {
        recorder.recordWaiting(parkedTicket, waitingRoom.routesOf(parkedTicket, now), now);
      }
      waitingRoom.remove(parkedTicket, false);
    }
    parkedTicket.gone();
    dispatchListener.clientLeft(parkedTicket, now);
  }

  /** Refuses a ticket, queued or blocked; returns false when it no longer waits. */
  public boolean evict(ParkedTicket parkedTicket, Refusal refusal, long now) {
    if (parkedTicket.state() != State.PARKED) {
      return false;
    }
    recorder.recordWaiting(parkedTicket, waitingRoom.routesOf(parkedTicket, now), now);
    if (!parkedTicket.decide(State.REFUSED)) {
      return false;
    }
    if (parkedTicket.waits()) {
      waitingRoom.remove(parkedTicket, false);
    }
    parkedTicket.gone();
    dispatchListener.refused(parkedTicket, refusal);
    return true;
  }

  /** Corrects the order by the tokens that a granted ticket really used. */
  public void settled(ParkedTicket parkedTicket, long usedTokens) {
    waitingRoom.discipline().settle(parkedTicket, usedTokens);
  }

  /**
   * Expects anew how much of the input of waiting tickets is read from a cache; refuses those that
   * can no longer fit.
   *
   * @param cacheNews tells of which
   */
  public void expectAnew(CacheNews cacheNews, long now) {
    for (ParkedTicket each : waitingRoom.expectAnew(cacheNews, now)) {
      drop(each, waitingRoom.routesOf(each, now), now);
    }
  }

  /**
   * Gives tickets new routes and the configured order; refuses those that can no longer fit, and
   * those of revoked keys.
   */
  public void reroute(long now) {
    QueueDiscipline<ParkedTicket> configured = routeSource.discipline();
    boolean reorder = !configured.same(waitingRoom.discipline());
    if (reorder) {
      waitingRoom.discipline(configured);
    }
    for (Lane lane : laneIndex.copy()) {
      if (reorder) {
        lane.reorder(configured);
      }
      lane.reroute(routeSource.of(lane.key(), now), routeSource.maxSkips());
      if (!paused) {
        lane.join();
      }
    }
    for (Lane lane : laneIndex.copy()) {
      lane.tickets().forEach(parkedTicket -> drop(parkedTicket, lane.routes(), now));
    }
    for (ParkedTicket parkedTicket : waitingRoom.blockedTickets()) {
      if (reorder) {
        parkedTicket.enter(configured);
      }
      drop(parkedTicket, routeSource.of(parkedTicket.laneKey(), now), now);
      dropBlocked(parkedTicket);
    }
  }

  /** Refuses a blocked ticket that does not fit even an empty queue: it would block others. */
  private void dropBlocked(ParkedTicket parkedTicket) {
    String full = waitingRoom.tooLarge(parkedTicket);
    if (parkedTicket.blocked() && full != null) {
      turnAway(parkedTicket, AdmissionCheck.queueFull(full, Ticker.NEVER));
    }
  }

  private void drop(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    Refusal revoked = parkedTicket.revoked();
    if (revoked != null) {
      turnAway(parkedTicket, revoked);
    } else if (AdmissionCheck.impossible(routes, routeSource, parkedTicket) != null) {
      waitingRoom.remove(parkedTicket, false);
      returnToQueue(parkedTicket, now);
    }
  }

  /** Refuses all waiting tickets. */
  public void close(Refusal refusal) {
    waitingRoom.blockedTickets().forEach(parkedTicket -> turnAway(parkedTicket, refusal));
    for (Lane lane : laneIndex.copy()) {
      lane.tickets().forEach(parkedTicket -> turnAway(parkedTicket, refusal));
    }
  }

  private void turnAway(
      ParkedTicket parkedTicket, List<TicketRoute> routes, Refusal refusal, long now) {
    recorder.recordHopeless(parkedTicket, routes, now);
    turnAway(parkedTicket, refusal);
  }

  private void turnAway(ParkedTicket parkedTicket, Refusal refusal) {
    if (take(parkedTicket, State.REFUSED)) {
      dispatchListener.refused(parkedTicket, refusal);
    }
  }

  /** Stops or restarts releases; deadlines run on meanwhile. */
  public void pause(boolean stop, long now) {
    paused = stop;
    recorder.pause(stop, now);
    // Paused tickets keep no claims and are not skipped.
    laneIndex.all().forEach(stop ? Lane::withdraw : Lane::join);
  }

  /** Returns whether only releases are done because of the number of looks that were taken. */
  boolean tired() {
    return lookCount.left() == 0;
  }

  /** Returns how many looks at tickets and lanes there were so far. */
  long looks() {
    return lookCount.looks();
  }

  /** Returns all waiting tickets. */
  public WaitingRoom waitingRoom() {
    return waitingRoom;
  }

  /** Returns whether releases are stopped. */
  public boolean paused() {
    return paused;
  }
}
