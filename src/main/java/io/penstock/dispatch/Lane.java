package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.Ticket;
import io.penstock.queue.TicketQueue;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tickets of one endpoint that face the same quotas, in order; one entry in each quota's wait list
 * stands for all of them. A lane in which no ticket can go sleeps until the instant at which one
 * may, or until one of its quotas wakes it.
 *
 * <p>Only the owner of the queue may use it, except for the methods of {@link WaitList.Waiter}.
 */
final class Lane implements WaitList.Waiter, LaneSchedule.Sleeper {
  private static final long AWAKE = Long.MIN_VALUE;

  private final LaneKey laneKey;
  private final Object beginner;
  private final LaneSchedule<Lane> schedule;
  private final long number;
  private final Object owner;
  private final LaneRecorder recorder;
  private final Runnable signal;

  @SharedState("skips and claims")
  private final AtomicInteger skippedByOthers = new AtomicInteger();

  private final DimensionSizes room = new DimensionSizes();
  private final DimensionSizes dimensionSizes = new DimensionSizes();
  private final QueueBacklog backlog = new QueueBacklog();
  private QueueDiscipline<ParkedTicket> discipline;
  private TicketQueue<ParkedTicket> tickets;
  private long wakeAt = AWAKE;

  /** Whether any ticket here ever claimed a quota because of its pace. */
  private boolean paces;

  private volatile LaneWaits laneWaits;
  private volatile int maxSkips;
  private volatile @Nullable ParkedTicket head;
  private volatile int headSkips;
  private volatile boolean woken;

  Lane(
      LaneKey laneKey,
      Object beginner,
      LaneSchedule<Lane> schedule,
      List<TicketRoute> routes,
      QueueDiscipline<ParkedTicket> discipline,
      Object owner,
      RouteSource terms,
      LaneRecorder recorder) {
    this.laneKey = laneKey;
    this.beginner = beginner;
    this.schedule = schedule;
    this.number = schedule.number();
    this.laneWaits = new LaneWaits(this, routes, this::mayClaim);
    this.discipline = discipline;
    this.tickets = discipline.queue();
    tickets.whenMoved(this::show);
    this.owner = owner;
    this.recorder = recorder;
    this.maxSkips = terms.maxSkips();
    this.signal = terms.signal();
  }

  /** Returns what identifies its endpoint. */
  Object endpoint() {
    return owner;
  }

  LaneKey key() {
    return laneKey;
  }

  /** Returns the tenant that sent its first ticket. */
  Object beginner() {
    return beginner;
  }

  @Override
  public long number() {
    return number;
  }

  private void mayClaim() {
    schedule.claims(this);
  }

  List<TicketRoute> routes() {
    return laneWaits.routes();
  }

  /** Returns the sums over its tickets. */
  QueueBacklog backlog() {
    return backlog;
  }

  TicketQueue<ParkedTicket> tickets() {
    return tickets;
  }

  /** Puts its tickets into another order; they keep their skips. */
  void reorder(QueueDiscipline<ParkedTicket> next) {
    learn();
    List<ParkedTicket> all = new ArrayList<>();
    tickets.forEach(all::add);
    all.forEach(tickets::remove);
    discipline = next;
    tickets = next.queue();
    tickets.whenMoved(this::show);
    for (ParkedTicket parkedTicket : all) {
      parkedTicket.enter(next);
      tickets.add(parkedTicket);
    }
    show();
    lookAt(AWAKE);
  }

  /** Gives its tickets other routes; it is in no wait list until it is looked at again. */
  void reroute(List<TicketRoute> next, int nextMaxSkips) {
    withdraw();
    laneWaits = new LaneWaits(this, next, this::mayClaim);
    maxSkips = nextMaxSkips;
  }

  /** Leaves all wait lists and ends all claims, until the lane is looked at again. */
  void withdraw() {
    laneWaits.withdraw();
    lookAt(AWAKE);
  }

  void add(ParkedTicket parkedTicket, long now) {
    parkedTicket.lane(this);
    learn();
    tickets.add(parkedTicket);
    backlog.add(parkedTicket);
    show();
    if (wakeAt != AWAKE) {
      parkedTicket.sizesInto(dimensionSizes);
      // A lane blocked by its own key is in no other wait list, and looks there only after that.
      long instant =
          tickets.resting()
              ? laneWaits.key().requestRoom(dimensionSizes, now)
              : laneWaits.requestRoom(dimensionSizes, now);
      lookAt(Math.min(wakeAt, instant));
    }
  }

  /**
   * Ends the claims of tickets that {@code arrived} precedes and that wait only for a pace: when
   * the pace lets one of them pass, it is {@code arrived}'s turn.
   */
  void yieldTo(ParkedTicket arrived) {
    if (paces) {
      laneWaits.endClaims(
          claimant -> claimant.claimsForPace && discipline.precedes(arrived, claimant));
    }
  }

  /** Removes a ticket. If it was granted ({@code passed}), it skipped the tickets before it. */
  void remove(ParkedTicket parkedTicket, boolean passed) {
    backlog.remove(parkedTicket);
    learn();
    if (passed) {
      tickets.pass(parkedTicket);
    } else {
      tickets.remove(parkedTicket);
    }
    show();
    parkedTicket.lane(null); // its claims are void from here on, so the last one ends below
    for (TicketRoute ticketRoute : laneWaits.routes()) {
      ticketRoute.release(parkedTicket);
    }
    if (tickets.size() == 0) {
      laneWaits.leave();
    }
  }

  /** Publishes the first ticket to other threads; called before claims of a removed one end. */
  void show() {
    head = tickets.first();
    headSkips = tickets.skipsOfFirst();
  }

  /** Returns how often a ticket, which waits here, was skipped. */
  int skipsOf(ParkedTicket parkedTicket) {
    learn();
    return tickets.skipsOf(parkedTicket);
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
      laneWaits.joinOwn();
    } else {
      laneWaits.join();
    }
  }

  /** Ends claims of tickets that their own key's quotas block: they must not delay others. */
  void yieldHeld(long now) {
    if (laneWaits.mayHaveClaim() && keyed()) {
      laneWaits.endClaims(claimant -> laneWaits.keyHolds(claimant, now));
    }
  }

  /** Returns whether its tickets face quotas of their own key. */
  boolean keyed() {
    return !laneWaits.key().quotas().isEmpty();
  }

  /**
   * Returns whether its first ticket comes before {@code released}, but is held until a cache is
   * warm. A lane that is held so is not in the wait lists in which others see whom they skip.
   */
  boolean passedWhileHeld(ParkedTicket released, long now) {
    WarmupGroup group = laneKey.warmup();
    return group != null && group.holds(now) && precedes(released);
  }

  /** Returns whether their own key blocks all tickets here; they count as not arrived then. */
  private boolean keyHolds(long now) {
    if (!keyed()) {
      return false;
    }
    boolean holds = !laneWaits.key().room(room, now) || tickets.firstWithin(room) == null;
    tickets.rest(holds);
    return holds;
  }

  @Override
  public boolean awake(long now) {
    if (woken) {
      woken = false;
      lookAt(AWAKE);
    }
    return wakeAt <= now;
  }

  @Override
  public long wakeAt() {
    return wakeAt;
  }

  private void lookAt(long instant) {
    if (instant != wakeAt) {
      schedule.change(this, () -> wakeAt = instant);
    }
  }

  /** Sets the lane aside until one of its tickets may go. */
  void sleep(long now) {
    // Joined before the look: room freed later wakes it, room freed before is seen below.
    join();
    ParkedTicket first = tickets.first();
    if (first != null) {
      recorder.blocked(first, laneWaits.routes(), now);
    }
    if (tickets.resting()) {
      lookAt(tickets.soonest(each -> laneWaits.key().requestRoom(each, now)));
      return;
    }
    long soonest = Long.MAX_VALUE;
    for (TicketRoute ticketRoute : laneWaits.routes()) {
      soonest = Math.min(soonest, soonest(ticketRoute, now));
    }
    lookAt(soonest);
  }

  /** Makes a ticket here claim a quota, as its original does. */
  void adoptClaim(ParkedTicket ticket, Quota quota, boolean forPace) {
    for (TicketRoute route : laneWaits.routes()) {
      if (route.quotas().contains(quota) && quota.waitList().claim(this, ticket)) {
        laneWaits.claimed();
        ticket.claimsForPace = forPace;
        paces |= forPace;
        return;
      }
    }
  }

  /** Returns the recorder of why its tickets wait. */
  LaneRecorder recorder() {
    return recorder;
  }

  private long soonest(TicketRoute ticketRoute, long now) {
    if (ticketRoute.isClaimed(keepsCharges())) {
      ParkedTicket keeper = laneWaits.keeper(ticketRoute);
      if (keeper == null) {
        return Long.MAX_VALUE;
      }
      keeper.sizesInto(dimensionSizes);
      return ticketRoute.requestAdmission(dimensionSizes, now);
    }
    // Pacing is left out: a ticket that only the pace delays claims the quota.
    return tickets.soonest(each -> ticketRoute.requestRoom(each, now));
  }

  /** Returns the first ticket that can go now, by its least used route; null when none can. */
  @Nullable ReleaseChoice choose(long now) {
    if (keyHolds(now)) {
      return null;
    }
    ReleaseChoice best = null;
    for (TicketRoute ticketRoute : laneWaits.routes()) {
      ParkedTicket candidate = candidate(ticketRoute, now);
      if (candidate != null) {
        boolean held = ticketRoute.paceAllowsAt(dimensionSizes, now) > now;
        ReleaseChoice choice = new ReleaseChoice(this, candidate, ticketRoute, held);
        boolean waits = held && ticketRoute.isPaceClaimedFor(candidate, dimensionSizes, now);
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
  private @Nullable ParkedTicket candidate(TicketRoute ticketRoute, long now) {
    if (!ticketRoute.room(room, now)) {
      return null;
    }
    boolean kept = ticketRoute.isClaimed(keepsCharges());
    ParkedTicket first = kept ? laneWaits.keeper(ticketRoute) : tickets.firstWithin(room);
    if (first == null) {
      return null;
    }
    first.sizesInto(dimensionSizes);
    return !kept || ticketRoute.admits(dimensionSizes, now) ? first : null;
  }

  /**
   * Claims, for the chosen ticket, each quota that delays it by its pace. Nobody may overtake a
   * ticket that waits for the pace alone, or the smallest ticket would always go first.
   */
  void claimForPace(ReleaseChoice choice, long now) {
    choice.ticket().sizesInto(dimensionSizes);
    for (Quota quota : choice.route().quotas()) {
      if (quota.paceAllowsAt(dimensionSizes, now) > now) {
        choice.ticket().claimsForPace =
            laneWaits.claim(choice.ticket(), quota, choice.route(), now);
        paces = true;
      }
    }
  }

  /**
   * Returns whether a ticket may take that route past earlier tickets of this lane. An earlier one
   * that may not be skipped again claims the quota it lacks instead.
   */
  boolean mayPass(ParkedTicket parkedTicket, TicketRoute ticketRoute, long now) {
    learn();
    ParkedTicket each = tickets.unskippable(null, parkedTicket, maxSkips);
    while (each != null) {
      Quota claimed = laneWaits.claim(each, now);
      if (claimed != null && ticketRoute.quotas().contains(claimed)) {
        return false;
      }
      each = tickets.unskippable(each, parkedTicket, maxSkips);
    }
    return true;
  }

  @Override
  public boolean isOf(Object endpoint) {
    return owner.equals(endpoint);
  }

  @Override
  public long headOrder() {
    ParkedTicket first = head;
    return first == null ? Long.MAX_VALUE : first.order();
  }

  @Override
  public boolean keepsCharges() {
    return laneKey.alreadyCharged();
  }

  /** Returns whether a ticket is of this endpoint: then everything here may be read. */
  private boolean ours(Ticket ticket) {
    return ticket instanceof ParkedTicket parkedTicket
        && parkedTicket.lane() instanceof Lane lane
        && lane.owner.equals(owner);
  }

  @Override
  public boolean precedes(Ticket released) {
    ParkedTicket first = head;
    if (first == null) {
      return false;
    }
    return ours(released) ? discipline.precedes(first, released) : first.order() < released.order();
  }

  @Override
  public boolean unskippable(Ticket released) {
    if (ours(released)) {
      learn();
      return tickets.unskippable(null, released, maxSkips) != null;
    }
    return precedes(released) && headSkips + skippedByOthers.get() >= maxSkips;
  }

  @Override
  public void skip(Ticket released) {
    if (ours(released)) {
      tickets.skipBefore(released);
      headSkips = tickets.skipsOfFirst();
    } else {
      skippedByOthers.incrementAndGet();
    }
  }

  @Override
  public @Nullable Quota claim(Ticket released, long now) {
    if (!ours(released)) {
      ParkedTicket first = head;
      return first == null ? null : laneWaits.claim(first, now);
    }
    ParkedTicket each = tickets.unskippable(null, released, maxSkips);
    while (each != null) {
      Quota claimed = laneWaits.claim(each, now);
      if (claimed != null) {
        return claimed;
      }
      each = tickets.unskippable(each, released, maxSkips);
    }
    return null;
  }

  @Override
  public boolean hasWaiting(Ticket ticket) {
    return ticket instanceof ParkedTicket parkedTicket
        && parkedTicket.lane() == this
        && !laneWaits.withdrawn();
  }

  @Override
  public boolean mayHaveClaim() {
    return laneWaits.mayHaveClaim();
  }

  @Override
  public void wake() {
    if (!woken) {
      woken = true;
      schedule.wake(this);
    }
    signal.run();
  }
}
