package io.penstock.dispatch;

import io.penstock.cost.CostDimension;
import io.penstock.dispatch.QueueCopy.Entry;
import io.penstock.queue.OrderProjection;
import io.penstock.quota.Quota;
import io.penstock.quota.QuotaProjection;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs a copy of a queue ahead on a clock of its own, ticket by ticket and by the rules of the
 * {@link Dispatcher}: the first in order that fits goes, those that are overtaken too often claim
 * what they lack, and those that wait only for a pace claim it. It changes nothing outside. Belongs
 * to one thread, and runs once.
 *
 * <p>It knows nothing of events from outside. Where one of those matters (an answer that ends,
 * another instance or endpoint that spends the same limit) no later ticket has a certain forecast.
 */
final class VirtualQueue {
  /** Most looks at tickets; a longer run ends, and the tickets that are left have no forecast. */
  private static final int MOST_LOOKS = 50_000;

  private final QueueCopy copy;
  private final OrderProjection<ParkedTicket> order;
  private final List<Entry> queue = new ArrayList<>();
  private final List<Entry> blocked = new ArrayList<>();
  private final QueueBacklog backlog = new QueueBacklog();
  private final IdentityHashMap<Quota, Entry> claims = new IdentityHashMap<>();
  private final IdentityHashMap<Quota, QuotaProjection> projections = new IdentityHashMap<>();
  private final IdentityHashMap<ParkedTicket, WaitForecast> forecasts = new IdentityHashMap<>();
  private final Map<Kind, Room> rooms = new HashMap<>();
  private long at;
  private int gone;
  private int looks;
  private boolean certain;

  /** Tickets for which there is always room at the same instant. */
  private record Kind(LaneKey lane, List<Long> sizes) {
    static Kind of(Entry entry) {
      List<Long> sizes = new ArrayList<>();
      for (CostDimension dimension : CostDimension.values()) {
        sizes.add(entry.sizes.get(dimension));
      }
      return new Kind(entry.lane, sizes);
    }
  }

  /**
   * When there is room for tickets of one kind on any of their routes. While others go that instant
   * only moves back, so an earlier answer is a lower bound of the present one.
   */
  static final class Room {
    long from = Long.MIN_VALUE;
    long askedAt = Long.MIN_VALUE;
    int askedAfter;
  }

  /** The first ticket that can go, and its way. */
  private record Choice(Entry entry, TicketRoute route, boolean onlyPaced) {}

  VirtualQueue(QueueCopy copy) {
    this.copy = copy;
    this.order = copy.order().copy();
    this.at = copy.now();
    this.certain = !copy.incomplete();
    IdentityHashMap<Entry, Entry> own = new IdentityHashMap<>();
    for (Entry each : copy.entries()) {
      Entry entry = new Entry(each);
      own.put(each, entry);
      if (entry.blocked) {
        blocked.add(entry);
      } else {
        queue.add(entry);
        backlog.add(entry.ticket);
      }
    }
    queue.sort(this::compare);
    copy.claims().forEach((quota, entry) -> claims.put(quota, own.getOrDefault(entry, entry)));
  }

  private int compare(Entry one, Entry other) {
    return order.compare(one.ticket, other.ticket);
  }

  private boolean precedes(Entry one, Entry other) {
    return compare(one, other) < 0;
  }

  /**
   * Returns how long a ticket waits, once the run is over; null when that depends on events from
   * outside.
   */
  @Nullable WaitForecast forecast(Entry entry) {
    return forecasts.get(entry.ticket);
  }

  /**
   * Runs until a ticket has gone, or all have gone or left if that is null, or until what happens
   * is no longer certain.
   */
  void run(@Nullable ParkedTicket until) {
    while (certain) {
      expire(at - 1);
      changeLanes();
      do {
        do {
          goAll();
        } while (admitBlocked());
      } while (expireOne(at));
      boolean over = until == null ? queue.isEmpty() : forecasts.containsKey(until);
      if (over || !certain) {
        return;
      }
      long next = nextInstant();
      if (next == Ticker.NEVER) {
        endUnknown();
        return;
      }
      at = next;
    }
  }

  /** Nobody knows when those that are left will go. */
  private void endUnknown() {
    if (certain) {
      queue.forEach(each -> forecasts.put(each.ticket, WaitForecast.UNKNOWN));
      blocked.forEach(each -> forecasts.put(each.ticket, WaitForecast.UNKNOWN));
    }
  }

  private void goAll() {
    while (certain) {
      endClaimsOfHeld();
      Choice choice = choose();
      if (choice == null) {
        return;
      }
      if (choice.onlyPaced()) {
        claimForPace(choice);
      } else if (mayPass(choice) && mayTake(choice)) {
        go(choice);
      }
    }
  }

  private void expire(long until) {
    boolean any = true;
    while (any) {
      any = expireOne(until);
    }
  }

  private boolean expireOne(long until) {
    Entry first = null;
    for (Entry each : queue) {
      first = first == null || each.deadline < first.deadline ? each : first;
    }
    for (Entry each : blocked) {
      first = first == null || each.deadline < first.deadline ? each : first;
    }
    if (first == null || first.deadline > until) {
      return false;
    }
    // It will be refused; a wait beyond its deadline says so.
    forecasts.put(first.ticket, WaitForecast.of(first.deadline + 1 - copy.now(), true));
    certain &= first.ticket.takenCharges() == null; // else it gives back what others wait for
    leave(first);
    return true;
  }

  private void changeLanes() {
    for (Entry each : queue) {
      while (each.changesAt() <= at) {
        claims.values().removeIf(claimant -> claimant == each);
        each.change();
        endPaceClaimsBehind(each);
      }
    }
    for (Entry each : blocked) {
      while (each.changesAt() <= at) {
        each.change();
      }
    }
  }

  private void leave(Entry entry) {
    claims.values().removeIf(claimant -> claimant == entry);
    if (!blocked.remove(entry)) {
      queue.remove(entry);
      backlog.remove(entry.ticket);
    }
  }

  private boolean admitBlocked() {
    boolean any = false;
    while (!blocked.isEmpty()
        && backlog.boundReached(copy.bounds(), blocked.getFirst().ticket) == null) {
      Entry entry = blocked.removeFirst();
      backlog.add(entry.ticket);
      queue.add(entry);
      endPaceClaimsBehind(entry);
      any = true;
    }
    if (any) {
      queue.sort(this::compare);
    }
    return any;
  }

  /** When the pace lets one of those pass, it is the turn of the ticket that comes before them. */
  private void endPaceClaimsBehind(Entry entry) {
    claims.values().removeIf(claimant -> claimant.claimsForPace && precedes(entry, claimant));
  }

  private QuotaProjection projection(Quota quota) {
    return projections.computeIfAbsent(quota, each -> each.projection(copy.now()));
  }

  private long roomFreeAt(Quota quota, Entry entry) {
    looks++;
    certain &= looks < MOST_LOOKS;
    QuotaProjection projection = projection(quota);
    long instant = projection.roomFreeAt(entry.batch, at);
    certain &= !projection.uncertain();
    return instant;
  }

  private long admittedAt(Quota quota, Entry entry) {
    QuotaProjection projection = projection(quota);
    long instant = projection.admittedAt(entry.batch, 0, at);
    certain &= !projection.uncertain();
    return instant;
  }

  /** Returns an instant before which there is no room for a ticket; at most now when there is. */
  private long roomFrom(Entry entry) {
    Room room = entry.room == null ? roomOfKind(entry) : entry.room;
    boolean known = room.from > at || (room.askedAt == at && room.askedAfter == gone);
    if (!known) {
      long from = Ticker.NEVER;
      for (TicketRoute route : entry.routes) {
        from = Math.min(from, roomFrom(route, entry));
      }
      room.from = from;
      room.askedAt = at;
      room.askedAfter = gone;
    }
    return room.from;
  }

  private Room roomOfKind(Entry entry) {
    Room room = rooms.computeIfAbsent(Kind.of(entry), kind -> new Room());
    entry.room = room;
    return room;
  }

  private long roomFrom(TicketRoute route, Entry entry) {
    long from = at;
    for (Quota quota : route.quotas()) {
      from = Math.max(from, roomFreeAt(quota, entry));
    }
    return from;
  }

  /** Returns whether a ticket claims each quota that delays it by its pace. */
  private boolean claimsItsPaces(TicketRoute route, Entry entry) {
    for (Quota quota : route.quotas()) {
      if (claims.get(quota) != entry && admittedAt(quota, entry) > at) {
        return false;
      }
    }
    return true;
  }

  private boolean isClaimedForOther(Quota quota, Entry entry) {
    Entry claimant = claims.get(quota);
    return claimant != null
        && claimant != entry
        && (claimant.keepsCharges() || !entry.keepsCharges());
  }

  private boolean isClaimedForOther(TicketRoute route, Entry entry) {
    for (Quota quota : route.quotas()) {
      if (isClaimedForOther(quota, entry)) {
        return true;
      }
    }
    return false;
  }

  private boolean keyHolds(Entry entry) {
    for (Quota quota : entry.ofKey) {
      if (roomFreeAt(quota, entry) > at) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether all tickets of a lane are held by their own key, so that nobody skips them. */
  private boolean rests(LaneKey lane) {
    for (Entry each : queue) {
      if (each.lane.equals(lane) && !keyHolds(each)) {
        return false;
      }
    }
    return true;
  }

  private void endClaimsOfHeld() {
    claims.values().removeIf(this::keyHolds);
  }

  private @Nullable Choice choose() {
    for (Entry entry : queue) {
      if (roomFrom(entry) > at) {
        continue;
      }
      Choice best = null;
      for (TicketRoute route : entry.routes) {
        if (isClaimedForOther(route, entry) || roomFrom(route, entry) > at) {
          continue;
        }
        boolean paced = admittedAt(route, entry) > at;
        if (paced && claimsItsPaces(route, entry)) {
          continue;
        }
        Choice choice = new Choice(entry, route, paced);
        best = best == null || isBetter(choice, best) ? choice : best;
      }
      if (best != null) {
        return best;
      }
    }
    return null;
  }

  private boolean isBetter(Choice choice, Choice other) {
    if (choice.onlyPaced() != other.onlyPaced()) {
      return other.onlyPaced();
    }
    int used = Double.compare(utilization(choice.route()), utilization(other.route()));
    ParkedTicket ticket = choice.entry().ticket;
    return used == 0 ? choice.route().score(ticket) > other.route().score(ticket) : used < 0;
  }

  private double utilization(TicketRoute route) {
    Quota pool = route.pool();
    return pool == null ? 0 : projection(pool).utilization(at);
  }

  private void claimForPace(Choice choice) {
    for (Quota quota : choice.route().quotas()) {
      if (admittedAt(quota, choice.entry()) > at) {
        claims.put(quota, choice.entry());
        choice.entry().claimsForPace = true;
      }
    }
  }

  /** Returns whether a ticket may not be overtaken by {@code going} once more. */
  private boolean isUnskippable(Entry entry, Entry going) {
    if (entry.skips >= copy.maxSkips()) {
      return true;
    }
    return order.fallsBehind(entry.ticket, going.ticket) && isFirstOfFlow(entry);
  }

  private boolean isFirstOfFlow(Entry entry) {
    for (Entry each : queue) {
      if (each.lane.equals(entry.lane) && order.sameFlow(each.ticket, entry.ticket)) {
        return each == entry;
      }
    }
    return false;
  }

  /** Lets earlier tickets of the same lane claim; returns whether none claims what is needed. */
  private boolean mayPass(Choice choice) {
    Entry going = choice.entry();
    for (Entry each : queue) {
      if (each == going) {
        return true;
      }
      if (each.lane.equals(going.lane) && isUnskippable(each, going)) {
        Quota claimed = claimLacking(each);
        if (claimed != null && choice.route().quotas().contains(claimed)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Lets earlier tickets of other lanes claim; returns whether none claims what is needed. */
  private boolean mayTake(Choice choice) {
    boolean any = false;
    for (Quota quota : choice.route().quotas()) {
      any |= !quota.ofKey() && claimForUnskippable(quota, choice.entry());
    }
    return !isClaimedForOther(choice.route(), choice.entry()) && (!any || mayPass(choice));
  }

  private boolean claimForUnskippable(Quota quota, Entry going) {
    boolean any = false;
    for (boolean keeping : new boolean[] {true, false}) {
      for (Entry each : queue) {
        if (each == going || claims.containsKey(quota)) {
          break;
        }
        if (each.keepsCharges() == keeping
            && !each.lane.equals(going.lane)
            && each.waitsFor(quota)
            && isUnskippable(each, going)
            && !rests(each.lane)) {
          any |= claimLacking(each) != null;
        }
      }
    }
    return any;
  }

  /** Claims, for a ticket, the one quota it lacks; returns it, or null when nothing was claimed. */
  private @Nullable Quota claimLacking(Entry entry) {
    Quota best = null;
    TicketRoute by = null;
    long soonest = Ticker.NEVER;
    for (TicketRoute route : entry.routes) {
      Quota lacking = onlyLacking(route, entry);
      if (lacking == null) {
        continue;
      }
      if (claims.get(lacking) == entry) {
        return null;
      }
      if (!isClaimedForOther(lacking, entry)) {
        long instant = admittedAt(lacking, entry);
        if (best == null || instant < soonest) {
          best = lacking;
          by = route;
          soonest = instant;
        }
      }
    }
    if (best == null || by == null) {
      return null;
    }
    entry.claimsForPace = false;
    Entry before = claims.put(best, entry);
    if (isClaimedForOther(by, entry) || keyHolds(entry)) {
      claims.remove(best);
      if (before != null) {
        certain = false; // which of the two keeps the claim depends on who looks first
      }
      return null;
    }
    return best;
  }

  private @Nullable Quota onlyLacking(TicketRoute route, Entry entry) {
    if (route.obstacle(entry.ticket.cost()) != null) {
      return null;
    }
    Quota lacking = null;
    for (Quota quota : route.quotas()) {
      if (isClaimedForOther(quota, entry)
          || roomFreeAt(quota, entry) > at
          || admittedAt(quota, entry) > at) {
        if (lacking != null || quota.ofKey()) {
          return null;
        }
        lacking = quota;
      }
    }
    return lacking;
  }

  private void go(Choice choice) {
    Entry going = choice.entry();
    Set<LaneKey> skipped = new HashSet<>();
    skipped.add(going.lane);
    for (Entry each : queue) {
      if (each == going) {
        break;
      }
      if (!skipped.contains(each.lane) && sharesUnclaimed(each, choice) && !rests(each.lane)) {
        skipped.add(each.lane);
      }
    }
    for (Entry each : queue) {
      if (each == going) {
        break;
      }
      each.skips += skipped.contains(each.lane) ? 1 : 0;
    }
    for (Quota quota : choice.route().quotas()) {
      projection(quota).pass(going.batch, 0, 1, at);
    }
    if (certain) {
      forecasts.put(going.ticket, WaitForecast.of(at - copy.now(), false));
    }
    gone++;
    leave(going);
    if (order.charge(going.ticket)) {
      queue.sort(this::compare);
    }
  }

  private boolean sharesUnclaimed(Entry entry, Choice choice) {
    for (Quota quota : choice.route().quotas()) {
      if (!quota.ofKey() && !claims.containsKey(quota) && entry.waitsFor(quota)) {
        return true;
      }
    }
    return false;
  }

  private long nextInstant() {
    long next = Ticker.NEVER;
    for (Entry each : blocked) {
      next = Math.min(next, each.staysUntil());
    }
    for (Entry each : queue) {
      next = Math.min(next, each.staysUntil());
      next = Math.min(next, nextInstant(each));
    }
    return next;
  }

  /**
   * Returns an instant after now before which a ticket does not go: when there is room for it, or,
   * if there is, when the pace that it claims lets it go.
   */
  private long nextInstant(Entry entry) {
    long from = roomFrom(entry);
    if (from > at) {
      return from;
    }
    long next = Ticker.NEVER;
    for (TicketRoute route : entry.routes) {
      if (!isClaimedForOther(route, entry)) {
        long room = roomFrom(route, entry);
        long instant = room > at ? room : admittedAt(route, entry);
        next = instant > at ? Math.min(next, instant) : next;
      }
    }
    return next;
  }

  private long admittedAt(TicketRoute route, Entry entry) {
    long instant = at;
    for (Quota quota : route.quotas()) {
      instant = Math.max(instant, admittedAt(quota, entry));
    }
    return instant;
  }
}
