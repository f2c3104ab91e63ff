package io.penstock.dispatch;

import io.penstock.cost.Cost;
import io.penstock.pool.ActiveKeys;
import io.penstock.pool.UpstreamHold;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.QueueOrder;
import io.penstock.queue.TicketQueue;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.TicketBatch;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All waiting tickets of one endpoint: those in the queue, spread over its lanes, and the blocked
 * ones that wait for a place there. It keeps the lanes, the deadlines and the sums in step with
 * each other. Only the owner of the queue may use it.
 */
public final class WaitingRoom {
  /** Most tickets of a lane that an estimate runs with their own sizes. */
  private static final int MOST_SINGLE = 64;

  private final RouteSource routeSource;

  /** When each ticket may wait no longer. */
  private final TicketSchedule deadlines = new TicketSchedule(ParkedTicket::deadlineNanos);

  /** When fallback models may serve each ticket. */
  private final TicketSchedule fallbacks = new TicketSchedule(ParkedTicket::fallbackNanos);

  /** When each ticket goes to another upstream than the one to which affinity keeps it. */
  private final TicketSchedule departures = new TicketSchedule(ParkedTicket::keptUntilNanos);

  private final ArrivalOrder arrivalOrder = new ArrivalOrder();

  /** Sums over the tickets in the queue. */
  private final QueueBacklog queued = new QueueBacklog();

  /** The blocked tickets, in order of arrival. */
  @SharedState("waiting tickets")
  private final Set<ParkedTicket> blocked = new LinkedHashSet<>();

  private final QueueBacklog blockedBacklog = new QueueBacklog();
  private final QueueShares shares = new QueueShares();
  private final LaneIndex laneIndex;
  private final WaitRecorder recorder;
  private QueueDiscipline<ParkedTicket> queueDiscipline;

  WaitingRoom(Object owner, RouteSource routeSource, WaitRecorder recorder) {
    this.routeSource = routeSource;
    this.recorder = recorder;
    this.laneIndex = new LaneIndex(owner, routeSource, recorder);
    this.queueDiscipline = routeSource.discipline();
  }

  LaneIndex lanes() {
    return laneIndex;
  }

  /** Returns the terms by which its tickets wait. */
  RouteSource terms() {
    return routeSource;
  }

  /** Returns the record of the tenants that have sent something lately. Any thread may use it. */
  public ActiveKeys activeTenants() {
    return shares.activeTenants();
  }

  /** Returns a run that sees when the tickets of a short queue go; null when it is long. */
  public @Nullable DryRun dryRun(long now) {
    return DryRun.of(this, now);
  }

  /**
   * Puts in a copy of a ticket of another room, which has its place in the order already.
   *
   * @param rests whether its lane is resting there
   */
  void putCopy(ParkedTicket copy, boolean blocks, boolean rests, long now) {
    schedule(copy);
    if (blocks) {
      block(copy);
    } else {
      laneIndex.of(copy, queueDiscipline, now).tickets().rest(rests);
      enqueue(copy, now);
    }
  }

  /** Returns how often a waiting ticket was skipped. */
  int skipsOf(ParkedTicket parkedTicket) {
    return parkedTicket.lane() instanceof Lane lane && parkedTicket.queued()
        ? lane.skipsOf(parkedTicket)
        : 0;
  }

  /** Returns how many tickets wait, in the queue or for a place there. */
  public long tickets() {
    return queued.tickets() + blocked.size();
  }

  /** Returns how many tickets are in the queue. */
  long queuedTickets() {
    return queued.tickets();
  }

  /** Returns a copy of the blocked tickets: the caller may remove tickets while it iterates. */
  List<ParkedTicket> blockedTickets() {
    return List.copyOf(blocked);
  }

  /** Returns the blocked ticket that arrived first, or null. */
  @Nullable ParkedTicket firstBlocked() {
    return blocked.isEmpty() ? null : blocked.iterator().next();
  }

  /** Returns the order in which tickets go. */
  QueueDiscipline<ParkedTicket> discipline() {
    return queueDiscipline;
  }

  /** Sets another order; the caller must reorder the lanes. */
  void discipline(QueueDiscipline<ParkedTicket> next) {
    queueDiscipline = next;
  }

  /** Registers a ticket that has just arrived, before it is in the queue or blocked. */
  void enter(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    activeTenants().sent(parkedTicket.tenant(), now);
    parkedTicket.enter(queueDiscipline);
    parkedTicket.counted = WaitEstimate.countedSizes(routes, parkedTicket);
    arrivalOrder.add(parkedTicket, tickets());
    schedule(parkedTicket);
  }

  private void schedule(ParkedTicket parkedTicket) {
    deadlines.add(parkedTicket);
    if (!parkedTicket.laneKey().withFallbacks()) {
      fallbacks.add(parkedTicket);
    }
    if (parkedTicket.laneKey().byAffinity()) {
      departures.add(parkedTicket);
    }
  }

  /** Forgets a registered ticket that is neither in the queue nor blocked. */
  void forget(ParkedTicket parkedTicket) {
    deadlines.remove(parkedTicket);
    fallbacks.remove(parkedTicket);
    departures.remove(parkedTicket);
  }

  /**
   * Returns the first instant of a deadline, a fallback or a departure; NEVER when there is none.
   */
  long firstDueNanos() {
    long first = Math.min(deadlines.firstNanos(), fallbacks.firstNanos());
    return Math.min(first, departures.firstNanos());
  }

  /** Returns the first ticket with a deadline at or before {@code until}, or null. */
  @Nullable ParkedTicket due(long until) {
    return deadlines.due(until);
  }

  /** Lets fallback models serve the tickets that have waited long enough for their own model. */
  void widenLate(long now) {
    for (ParkedTicket each = fallbacks.due(now); each != null; each = fallbacks.due(now)) {
      fallbacks.remove(each);
      move(each, each.laneKey().widened(), now);
    }
  }

  /** Makes a ticket that waits on its own wait with its group, unless it was decided. */
  void moveBehind(ParkedTicket parkedTicket, WarmupGroup group, long now) {
    if (parkedTicket.waits()) {
      move(parkedTicket, parkedTicket.laneKey().behind(group), now);
    }
  }

  /**
   * Lets other upstreams serve the tickets that have waited long enough for the one to which
   * affinity keeps them; returns whether there were any.
   */
  boolean departLate(long now) {
    boolean any = false;
    for (ParkedTicket each = departures.due(now); each != null; each = departures.due(now)) {
      departures.remove(each);
      LaneKey next = departure(each, now);
      if (next != null) {
        move(each, next, now);
        any = true;
      }
    }
    return any;
  }

  /**
   * Returns the routes of a ticket once it no longer waits for the upstream to which affinity keeps
   * it; its own routes when it always does.
   */
  List<TicketRoute> laterRoutesOf(ParkedTicket parkedTicket, List<TicketRoute> own, long now) {
    LaneKey later = departure(parkedTicket, now);
    return later == null ? own : laneIndex.routesOf(later, now);
  }

  /**
   * Returns the lane key of a ticket once it no longer waits for the upstream to which affinity
   * keeps it; null when it always does, or no other upstream could ever serve it.
   */
  @Nullable LaneKey departure(ParkedTicket parkedTicket, long now) {
    LaneKey own = parkedTicket.laneKey();
    if (!own.byAffinity() || parkedTicket.keptUntilNanos() == Ticker.NEVER) {
      return null;
    }
    LaneKey next = own.onlyTo(null);
    Cost cost = parkedTicket.cost().withCached(0);
    for (TicketRoute each : laneIndex.routesOf(next, now)) {
      if (!each.leadsTo(own.onlyUpstream()) && each.obstacle(cost) == null) {
        return next;
      }
    }
    return null;
  }

  /** Returns which bound leaves no place for a ticket that is not in the queue, or null. */
  @Nullable String full(ParkedTicket parkedTicket) {
    return queued.boundReached(routeSource.bounds(), parkedTicket);
  }

  /** Returns which bound leaves no place for a ticket that was put into the queue, or null. */
  @Nullable String overfull(ParkedTicket parkedTicket) {
    queued.remove(parkedTicket);
    String full = full(parkedTicket);
    queued.add(parkedTicket);
    return full;
  }

  /**
   * Returns why a ticket that has just arrived gets no place if its flow or its tenant has its
   * share already, or null. See {@link QueueShares}.
   *
   * @param parkedTicket a ticket in the queue, or one that would be blocked
   */
  @Nullable String overShare(ParkedTicket parkedTicket, long now) {
    boolean fair = queueDiscipline.order() == QueueOrder.FAIR;
    if (parkedTicket.queued()) {
      shares.remove(parkedTicket);
    }
    String over =
        shares.exceeded(parkedTicket, fair, routeSource.bounds(), routeSource.maxBlocked(), now);
    if (parkedTicket.queued()) {
      shares.add(parkedTicket);
    }
    int lanes = laneIndex.overShare(parkedTicket);
    if (over == null && lanes > 0) {
      return ("%s already waits for %d combinations of a model, an upstream and a beginning of a"
              + " prompt, which is its share")
          .formatted(QueueShares.whose(parkedTicket), lanes);
    }
    return over == null ? overMaxWaiting(parkedTicket, now) : over;
  }

  private @Nullable String overMaxWaiting(ParkedTicket parkedTicket, long now) {
    CallerAccount account = parkedTicket.laneKey().account();
    if (account == null || account.maxWaiting() == 0) {
      return null;
    }
    long others = shares.ticketsOf(parkedTicket) - (parkedTicket.queued() ? 1 : 0);
    return others >= account.maxWaiting() && OwnLimits.hold(parkedTicket, account, now)
        ? "key %s already has %d waiting requests (max_waiting)".formatted(account.name(), others)
        : null;
  }

  /**
   * Returns those tickets that wait with the account of a ticket and go before it.
   *
   * @param arrived a ticket that does not wait yet
   */
  List<TicketBatch> aheadOfSameCaller(ParkedTicket arrived, CallerAccount account) {
    LookCount counted = laneIndex.lookCount();
    long until = counted.looks() + counted.left() / 2;
    List<TicketBatch> all = new ArrayList<>();
    for (Lane lane : laneIndex.of(account)) {
      counted.add(1);
      TicketBatch ahead = ahead(arrived, lane, null, Long.MIN_VALUE, until);
      if (ahead != null) {
        all.add(ahead);
      }
    }
    return all;
  }

  /** Returns which bound leaves no place for a ticket even in an empty queue, or null. */
  @Nullable String tooLarge(ParkedTicket parkedTicket) {
    return new QueueBacklog().boundReached(routeSource.bounds(), parkedTicket);
  }

  /**
   * Calls {@code visitor} with each lane and those of its tickets that go before a new one. Tickets
   * that have to leave by {@code leavingBy} do not count. Returns whether all were visited.
   *
   * @param within only tickets of at most these sizes count; null when all do
   * @param most the number of looks at tickets and lanes after which it ends
   */
  boolean ahead(
      ParkedTicket arrived,
      @Nullable DimensionSizes within,
      long leavingBy,
      int most,
      BiConsumer<Lane, TicketBatch> visitor) {
    LookCount counted = laneIndex.lookCount();
    long until = counted.looks() + most;
    for (Lane lane : laneIndex.all()) {
      if (counted.looks() >= until) {
        return false;
      }
      counted.add(1);
      TicketBatch ahead = ahead(arrived, lane, within, leavingBy, until);
      if (ahead != null) {
        visitor.accept(lane, ahead);
      }
    }
    return counted.looks() < until;
  }

  private @Nullable TicketBatch ahead(
      ParkedTicket arrived,
      Lane lane,
      @Nullable DimensionSizes within,
      long leavingBy,
      long untilLooks) {
    boolean all = queueDiscipline.order() == QueueOrder.FIFO;
    boolean allFit = within == null || within.admits(lane.backlog().largest());
    if (all && allFit && lane.backlog().tickets() > MOST_SINGLE) {
      return staying(lane, leavingBy).batch();
    }
    List<DimensionSizes> single = new ArrayList<>();
    QueueBacklog sums = new QueueBacklog();
    LookCount counted = laneIndex.lookCount();
    lane.tickets()
        .ahead(
            arrived,
            each -> {
              counted.add(1);
              DimensionSizes sizes = QueueBacklog.counted(each);
              if (each.deadlineNanos() > leavingBy && (within == null || within.admits(sizes))) {
                sums.add(each);
                if (sums.tickets() <= MOST_SINGLE) {
                  single.add(sizes);
                }
              }
              return counted.looks() < untilLooks;
            });
    if (sums.tickets() == 0) {
      return null;
    }
    return sums.tickets() > MOST_SINGLE ? sums.batch() : TicketBatch.of(single);
  }

  /** Returns the sums of the tickets of a lane that do not have to leave by an instant. */
  private QueueBacklog staying(Lane lane, long leavingBy) {
    if (deadlines.firstNanos() > leavingBy) {
      return lane.backlog();
    }
    QueueBacklog staying = new QueueBacklog();
    staying.add(lane.backlog().batch());
    deadlines.forEachDue(
        leavingBy,
        each -> {
          if (each.queued() && lane.equals(each.lane())) {
            staying.remove(each);
          }
        });
    return staying;
  }

  /**
   * Returns the sums of the blocked tickets that go before a new one. At most {@code most} tickets
   * are looked at, and the rest does not count.
   */
  QueueBacklog blockedAhead(ParkedTicket arrived, int most) {
    if (queueDiscipline.order() == QueueOrder.FIFO) {
      return blockedBacklog;
    }
    QueueBacklog ahead = new QueueBacklog();
    int left = most;
    for (ParkedTicket each : blocked) {
      if (left-- == 0) {
        break;
      }
      laneIndex.lookCount().add(1);
      if (queueDiscipline.precedes(each, arrived)) {
        ahead.add(each);
      }
    }
    return ahead;
  }

  /** Returns the routes of a ticket that waits, or is about to. */
  public List<TicketRoute> routesOf(ParkedTicket parkedTicket, long now) {
    return parkedTicket.lane() instanceof Lane lane && parkedTicket.queued()
        ? lane.routes()
        : laneIndex.routesOf(parkedTicket.laneKey(), now);
  }

  /** Puts a registered ticket into the queue. */
  Lane enqueue(ParkedTicket parkedTicket, long now) {
    Lane lane = laneIndex.of(parkedTicket, queueDiscipline, now);
    lane.add(parkedTicket, now);
    queued.add(parkedTicket);
    shares.add(parkedTicket);
    if (queueDiscipline.order() != QueueOrder.FIFO || parkedTicket.carried() != null) {
      // a new ticket of a FIFO queue comes before no other
      laneIndex.claiming().forEach(each -> each.yieldTo(parkedTicket));
    }
    return lane;
  }

  /**
   * Returns whether a ticket may wait for a place in the queue: fewer are blocked than may be, and
   * an empty queue would have room for it.
   */
  boolean mayBlock(ParkedTicket parkedTicket) {
    return blocked.size() < routeSource.maxBlocked() && tooLarge(parkedTicket) == null;
  }

  /** Blocks a ticket: it waits for a place in the queue. */
  void block(ParkedTicket parkedTicket) {
    blocked.add(parkedTicket);
    parkedTicket.block(true);
    countBlocked(parkedTicket);
    schedule(parkedTicket);
  }

  /** Puts a blocked ticket into the queue. */
  Lane unblock(ParkedTicket parkedTicket, long now) {
    removeBlocked(parkedTicket);
    return enqueue(parkedTicket, now);
  }

  private void removeBlocked(ParkedTicket parkedTicket) {
    blocked.remove(parkedTicket);
    parkedTicket.block(false);
    discountBlocked(parkedTicket);
  }

  private void countBlocked(ParkedTicket parkedTicket) {
    blockedBacklog.add(parkedTicket);
    shares.add(parkedTicket);
  }

  private void discountBlocked(ParkedTicket parkedTicket) {
    blockedBacklog.remove(parkedTicket);
    shares.remove(parkedTicket);
  }

  /**
   * Removes a ticket, wherever it waits; if it was {@code passed}, that is granted, it skipped the
   * tickets before it.
   */
  void remove(ParkedTicket parkedTicket, boolean passed) {
    forget(parkedTicket);
    if (parkedTicket.blocked()) {
      removeBlocked(parkedTicket);
    } else {
      leaveLane(parkedTicket, passed);
    }
  }

  /** Removes a ticket from its lane and the queue, but leaves its deadlines as they are. */
  private void leaveLane(ParkedTicket parkedTicket, boolean passed) {
    if (!(parkedTicket.lane() instanceof Lane lane)) {
      throw new IllegalStateException("ticket " + parkedTicket.order() + " has no lane");
    }
    lane.remove(parkedTicket, passed);
    queued.remove(parkedTicket);
    shares.remove(parkedTicket);
    if (lane.tickets().size() == 0) {
      laneIndex.remove(lane);
    }
  }

  /**
   * Lets tickets go to the upstream they avoid after all, where no other is available any more;
   * returns whether there were any.
   */
  boolean stopAvoidingInVain(long now) {
    boolean any = false;
    for (Lane lane : laneIndex.avoiding()) {
      if (!AdmissionCheck.anyAvailable(lane.routes(), now)) {
        lane.tickets().forEach(each -> move(each, each.laneKey().avoidingNone(), now));
        any = true;
      }
    }
    return any;
  }

  /**
   * Gives the tickets of a lane another way where no route of the lane takes requests; returns
   * whether any has one.
   */
  boolean detour(Lane lane, long now) {
    if (!AdmissionCheck.allAway(lane.routes(), now)) {
      return false;
    }
    List<ParkedTicket> all = new ArrayList<>();
    lane.tickets().forEach(all::add);
    boolean any = false;
    for (ParkedTicket each : all) {
      LaneKey next = detour(each, lane.routes(), now);
      if (next != null) {
        recorder.recordDetour(each, lane.routes(), now);
        if (next.withFallbacks()) {
          fallbacks.remove(each);
        }
        move(each, next, now);
        any = true;
      }
    }
    return any;
  }

  /**
   * Makes a ticket wait for the pauses of a route's upstream that hold it and not all others;
   * returns whether there are any that did not hold it before.
   */
  boolean hold(ParkedTicket parkedTicket, TicketRoute route, long now) {
    if (route.upstream() == null) {
      return false;
    }
    LaneKey own = parkedTicket.laneKey();
    List<UpstreamHold> holds =
        route.upstream().holds(parkedTicket.tenant(), route.model(), now).stream()
            .filter(each -> !own.holds().contains(each))
            .toList();
    if (holds.isEmpty()) {
      return false;
    }
    move(parkedTicket, own.heldBy(holds), now);
    return true;
  }

  /** Returns the lane key of another way for a ticket, or null: see {@link Detour}. */
  @Nullable LaneKey detour(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    return Detour.of(
        parkedTicket,
        routes,
        routeSource,
        route ->
            route.readiness(now).away(now)
                || AdmissionCheck.pausesTooLong(route, parkedTicket, now),
        now);
  }

  /**
   * Expects anew how much of the input of tickets is read from a cache. Returns the tickets of
   * which less is expected now.
   *
   * @param cacheNews tells of which tickets
   */
  List<ParkedTicket> expectAnew(CacheNews cacheNews, long now) {
    List<ParkedTicket> all = new ArrayList<>();
    for (Lane lane : laneIndex.all()) {
      if (cacheNews.ofKey() || cacheNews.concerns(lane.key())) {
        lane.tickets().forEach(all::add);
      }
    }
    all.addAll(blocked);
    all.removeIf(each -> !cacheNews.concerns(each));
    List<ParkedTicket> less = new ArrayList<>();
    for (ParkedTicket each : all) {
      long tokens = each.cachedTokens(now);
      long before = each.cost().cachedTokens();
      if (tokens != before) {
        change(each, changed -> expectReads(changed, tokens, now), now);
      }
      if (tokens < before) {
        less.add(each);
      }
    }
    return less;
  }

  private void expectReads(ParkedTicket parkedTicket, long tokens, long now) {
    parkedTicket.expectReads(tokens);
    List<TicketRoute> routes = laneIndex.routesOf(parkedTicket.laneKey(), now);
    parkedTicket.counted = WaitEstimate.countedSizes(routes, parkedTicket);
  }

  /**
   * Gives a ticket another lane key. If it is in the queue, it moves to the lane of that key, and
   * keeps its place and its skips.
   */
  private void move(ParkedTicket parkedTicket, LaneKey next, long now) {
    change(parkedTicket, changed -> changed.setLaneKey(next), now);
  }

  /** Changes the lane key or the sizes of a ticket, wherever it waits; it keeps its place. */
  private void change(ParkedTicket parkedTicket, Consumer<ParkedTicket> change, long now) {
    boolean stays = parkedTicket.blocked();
    if (stays) {
      discountBlocked(parkedTicket);
    } else {
      leaveLane(parkedTicket, false);
    }
    change.accept(parkedTicket);
    if (stays) {
      countBlocked(parkedTicket);
    } else {
      enqueue(parkedTicket, now);
    }
  }

  /** Returns when the longest-waiting ticket arrived; NEVER when none waits. */
  public long oldestNanos() {
    ParkedTicket oldest = arrivalOrder.first();
    return oldest == null ? Ticker.NEVER : oldest.arrivedNanos();
  }

  /**
   * Returns a supplier of the waiting tickets, in the order in which they would go if everything
   * fitted, and of null at the end. Nothing may change while it is in use.
   */
  public Supplier<@Nullable ParkedTicket> inTurn() {
    List<TicketQueue<ParkedTicket>> queues = new ArrayList<>(laneIndex.all().size());
    laneIndex.all().forEach(lane -> queues.add(lane.tickets()));
    Supplier<@Nullable ParkedTicket> inQueue = queueDiscipline.inTurn(queues);
    Iterator<ParkedTicket> last = blocked.iterator();
    return () -> {
      ParkedTicket next = inQueue.get();
      return next == null && last.hasNext() ? last.next() : next;
    };
  }
}
