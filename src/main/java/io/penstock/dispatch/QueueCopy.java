package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.OrderProjection;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.quota.Quota;
import io.penstock.quota.QuotaProjection;
import io.penstock.quota.TicketBatch;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waiting tickets of one endpoint at an instant, with everything that decides in which order
 * and when they go. The owner of the queue makes it; a {@link VirtualQueue} then runs ahead with
 * it, on any one thread.
 */
public final class QueueCopy {
  /** Most tickets that are copied. Longer queues are estimated by a {@link VirtualRun}. */
  static final int MOST = 250;

  /**
   * Most waiting tickets that are copied when another one arrives: the owner of the queue runs it
   * then, and a run takes about 2 µs for each.
   */
  static final int MOST_AT_ARRIVAL = 64;

  /**
   * Most tickets with a bound of their own, which takes time for each ticket before them. Each
   * later ticket waits at least as long as those of the first that go before it.
   */
  private static final int MOST_BOUNDS = 64;

  /** A lane to which a ticket changes at an instant, with the routes there. */
  private record Change(long atNanos, LaneKey lane, List<TicketRoute> routes) {}

  /** A copied ticket, and how it stands while others go. Times are of the virtual clock. */
  static final class Entry {
    final ParkedTicket ticket;
    DimensionSizes sizes = new DimensionSizes();
    TicketBatch batch;

    /** When it has to leave. */
    long deadline;

    LaneKey lane;
    List<TicketRoute> routes;

    /** The lanes it changes to if it still waits then, in order. */
    private List<Change> changes = List.of();

    /** The quotas of its own key. */
    List<Quota> ofKey;

    int skips;

    /** Whether its claims are due to a pace alone. */
    boolean claimsForPace;

    /** When there is room for tickets like this one, as far as a run knows. */
    VirtualQueue.@Nullable Room room;

    /** Whether it waits for a place in the queue. */
    boolean blocked;

    Entry(ParkedTicket ticket, LaneKey lane, List<TicketRoute> routes) {
      this.ticket = ticket;
      this.lane = lane;
      this.routes = routes;
      this.ofKey = TicketRoute.ofKey(routes).quotas();
      this.deadline = ticket.deadlineNanos();
      this.claimsForPace = ticket.claimsForPace;
      ticket.sizesInto(sizes);
      this.batch = TicketBatch.ofEqual(1, sizes);
    }

    Entry(Entry other) {
      this(other.ticket, other.lane, other.routes);
      deadline = other.deadline;
      changes = other.changes;
      skips = other.skips;
      blocked = other.blocked;
    }

    boolean keepsCharges() {
      return ticket.keepsCharges();
    }

    /** Returns when it changes to another lane; NEVER when it does not. */
    long changesAt() {
      return changes.isEmpty() ? Ticker.NEVER : changes.getFirst().atNanos();
    }

    /** Changes to the next lane. */
    void change() {
      Change change = changes.getFirst();
      changes = changes.subList(1, changes.size());
      boolean leaves = lane.onlyUpstream() != null && change.lane().onlyUpstream() == null;
      lane = change.lane();
      routes = change.routes();
      ofKey = TicketRoute.ofKey(routes).quotas();
      room = null;
      if (leaves) {
        DimensionSizes uncached = new DimensionSizes();
        ticket.sizesInto(uncached);
        uncached.expectNoCache();
        sizes = uncached;
        batch = TicketBatch.ofEqual(1, uncached);
      }
    }

    /** Returns when it leaves its place even if it does not go. */
    long staysUntil() {
      return Math.min(deadline, changesAt());
    }

    /** Returns the quotas of its routes, and of those that it will have in other lanes. */
    Set<Quota> quotas() {
      Set<Quota> quotas = new HashSet<>();
      routes.forEach(route -> quotas.addAll(route.quotas()));
      for (Change change : changes) {
        change.routes().forEach(route -> quotas.addAll(route.quotas()));
      }
      return quotas;
    }

    /** Returns whether it waits for that quota. */
    boolean waitsFor(Quota quota) {
      for (TicketRoute route : routes) {
        if (route.quotas().contains(quota)) {
          return true;
        }
      }
      return false;
    }
  }

  private final long now;
  private final List<Entry> entries;
  private final Map<Quota, Entry> claims = new HashMap<>();
  private final Set<Quota> awaitedElsewhere = new HashSet<>();
  private final IdentityHashMap<Quota, QuotaProjection> untouched = new IdentityHashMap<>();
  private final QueueBounds bounds;
  private final int maxSkips;
  private final boolean foreseeable;
  private final OrderProjection<ParkedTicket> order;

  /**
   * Whether events are known to be missing: tickets of other endpoints wait for the same quotas.
   */
  private boolean incomplete;

  private QueueCopy(long now, List<Entry> entries, WaitingRoom waitingRoom) {
    this.now = now;
    this.entries = entries;
    this.bounds = waitingRoom.terms().bounds();
    this.maxSkips = waitingRoom.terms().maxSkips();
    this.foreseeable = waitingRoom.discipline().foreseeable();
    List<ParkedTicket> tickets = new ArrayList<>(entries.size());
    entries.forEach(each -> tickets.add(each.ticket));
    this.order = waitingRoom.discipline().projection(tickets);
    boolean blocked = entries.stream().anyMatch(each -> each.blocked);
    this.incomplete = blocked && waitingRoom.discipline().order() == QueueOrder.FAIR;
  }

  /** Returns a copy of all waiting tickets; null when there are more than {@value #MOST}. */
  static @Nullable QueueCopy of(WaitingRoom waitingRoom, long now) {
    if (waitingRoom.tickets() > MOST) {
      return null;
    }
    QueueCopy copy = new QueueCopy(now, waiting(waitingRoom, now), waitingRoom);
    copy.copyClaims(waitingRoom, null);
    return copy;
  }

  private static List<Entry> waiting(WaitingRoom waitingRoom, long now) {
    List<Entry> entries = new ArrayList<>((int) waitingRoom.tickets() + 1);
    Supplier<@Nullable ParkedTicket> inTurn = waitingRoom.inTurn();
    for (ParkedTicket each = inTurn.get(); each != null; each = inTurn.get()) {
      Entry entry = new Entry(each, each.laneKey(), waitingRoom.routesOf(each, now));
      entry.blocked = each.blocked();
      entry.skips = waitingRoom.skipsOf(each);
      entry.changes = changes(entry, waitingRoom, now);
      entries.add(entry);
    }
    return entries;
  }

  /**
   * Returns the changes of an entry: fallback models may serve it, and it leaves the upstream to
   * which affinity keeps it.
   */
  private static List<Change> changes(Entry entry, WaitingRoom waitingRoom, long now) {
    ParkedTicket ticket = entry.ticket;
    long widensAt = entry.lane.withFallbacks() ? Ticker.NEVER : ticket.fallbackNanos();
    LaneKey elsewhere = waitingRoom.departure(ticket, now);
    long departsAt = elsewhere == null ? Ticker.NEVER : ticket.keptUntilNanos();
    LaneKey lane = entry.lane;
    List<Change> changes = new ArrayList<>(2);
    if (departsAt <= widensAt && elsewhere != null) {
      lane = elsewhere;
      changes.add(change(departsAt, lane, waitingRoom, now));
    }
    if (widensAt < Ticker.NEVER) {
      lane = lane.widened();
      changes.add(change(widensAt, lane, waitingRoom, now));
    }
    if (departsAt > widensAt && elsewhere != null) {
      changes.add(change(departsAt, lane.onlyTo(null), waitingRoom, now));
    }
    return changes;
  }

  private static Change change(long atNanos, LaneKey lane, WaitingRoom waitingRoom, long now) {
    return new Change(atNanos, lane, waitingRoom.lanes().routesOf(lane, now));
  }

  /**
   * Returns a copy of all waiting tickets and of one that is about to wait; null when there are
   * more than {@value #MOST_AT_ARRIVAL}. The one that arrives never leaves its place before it
   * goes.
   */
  static @Nullable QueueCopy withArrival(
      ParkedTicket arrived, List<TicketRoute> routes, WaitingRoom waitingRoom, long now) {
    if (waitingRoom.tickets() > MOST_AT_ARRIVAL) {
      return null;
    }
    List<Entry> entries = waiting(waitingRoom, now);
    Entry own = new Entry(arrived, arrived.laneKey(), routes);
    own.blocked = waitingRoom.firstBlocked() != null || waitingRoom.full(arrived) != null;
    own.deadline = Ticker.NEVER;
    own.changes = changes(own, waitingRoom, now);
    entries.add(own);
    QueueCopy copy = new QueueCopy(now, entries, waitingRoom);
    copy.copyClaims(waitingRoom, own);
    return copy;
  }

  /**
   * Copies the claims on all quotas. A ticket that arrives ends the claims of tickets behind it
   * that wait only for a pace.
   */
  private void copyClaims(WaitingRoom waitingRoom, @Nullable Entry arrived) {
    Object endpoint = waitingRoom.lanes().endpoint();
    Map<Long, Entry> byNumber = new HashMap<>();
    entries.forEach(each -> byNumber.put(each.ticket.order(), each));
    Set<Quota> seen = new HashSet<>();
    for (Entry entry : entries) {
      for (Quota quota : entry.quotas()) {
        if (seen.add(quota)) {
          if (quota.waitList().othersWait(endpoint)) {
            awaitedElsewhere.add(quota);
            incomplete = true;
          }
          copyClaim(quota, byNumber, arrived);
        }
      }
    }
  }

  private void copyClaim(Quota quota, Map<Long, Entry> byNumber, @Nullable Entry arrived) {
    if (!(quota.waitList().claimant() instanceof ParkedTicket claimant)) {
      return;
    }
    Entry entry = byNumber.get(claimant.order());
    if (entry == null) {
      incomplete = true;
      return;
    }
    boolean yields =
        arrived != null
            && claimant.claimsForPace
            && !arrived.blocked
            && order.compare(arrived.ticket, claimant) < 0;
    if (!yields) {
      claims.put(quota, entry);
    }
  }

  /** Returns when each of its tickets is expected to go. */
  public Map<ParkedTicket, WaitForecast> forecasts() {
    VirtualQueue run = new VirtualQueue(this);
    run.run(null);
    Map<ParkedTicket, WaitForecast> forecasts = new HashMap<>();
    Map<Entry, WaitForecast> first = new LinkedHashMap<>();
    for (Entry each : entries) {
      WaitForecast forecast = run.forecast(each);
      if (first.size() < MOST_BOUNDS) {
        forecast = forecast == null ? new EarliestGo(this, each).forecast() : forecast;
        first.put(each, forecast);
      } else if (forecast == null) {
        forecast = new EarliestGo(this, each).forecastBehind(first);
      }
      forecasts.put(each.ticket, labelled(forecast));
    }
    return forecasts;
  }

  /** Returns when the ticket that was about to wait is expected to go. */
  WaitForecast forecastOfArrival() {
    Entry own = entries.getLast();
    VirtualQueue run = new VirtualQueue(this);
    run.run(own.ticket);
    WaitForecast certain = run.forecast(own);
    return labelled(certain == null ? new EarliestGo(this, own).forecast() : certain);
  }

  private WaitForecast labelled(WaitForecast forecast) {
    return foreseeable || !forecast.known()
        ? forecast
        : new WaitForecast(forecast.waitNanos(), true); // tickets to come may go first
  }

  long now() {
    return now;
  }

  /** Returns the tickets: those in the queue in their order, then the blocked ones. */
  List<Entry> entries() {
    return entries;
  }

  /** Returns the entries that claim a quota. */
  Map<Quota, Entry> claims() {
    return claims;
  }

  /** Returns a copy of a quota from which nothing may be taken, because all share it. */
  QuotaProjection untouched(Quota quota) {
    return untouched.computeIfAbsent(quota, each -> each.projection(now));
  }

  /** Returns whether tickets of other endpoints wait for that quota, too. */
  boolean isAwaitedElsewhere(Quota quota) {
    return awaitedElsewhere.contains(quota);
  }

  QueueBounds bounds() {
    return bounds;
  }

  int maxSkips() {
    return maxSkips;
  }

  /** Returns the order of the tickets. */
  OrderProjection<ParkedTicket> order() {
    return order;
  }

  /** Returns whether it is known that something will happen that is not in the copy. */
  boolean incomplete() {
    return incomplete;
  }
}
