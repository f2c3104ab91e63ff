package io.penstock.dispatch;

import io.penstock.queue.DynamicThreshold;
import io.penstock.queue.QueueDiscipline;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.WaitList;
import io.penstock.tenant.SharedState;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lanes of one endpoint by {@link LaneKey}. Only the owner of the queue may use it. */
final class LaneIndex {
  /** Most lanes of arriving tickets, apart from one for each tenant. */
  static final int MOST_MORE = 400;

  /** Most lanes that arriving tickets of one tenant begin. */
  static final int MOST_OF_TENANT = 64;

  @SharedState("lanes")
  private final Map<LaneKey, Lane> byKey = new HashMap<>();

  /** Lanes that were set aside since the last call of {@link #setAside}. */
  @SharedState("lanes")
  private final Set<Lane> asleep = new HashSet<>();

  /** Lanes with tickets that avoid an upstream. */
  @SharedState("lanes")
  private final Set<Lane> avoiding = new LinkedHashSet<>();

  /** Lanes with tickets that wait until one of them has warmed a cache. */
  @SharedState("lanes")
  private final Set<Lane> warming = new LinkedHashSet<>();

  /** How many lanes each tenant began. */
  @SharedState("lanes")
  private final Map<Object, Integer> begun = new HashMap<>();

  /** Lanes of tickets that wait with the quotas of their caller, by its account. */
  @SharedState("lanes")
  private final Map<CallerAccount, Set<Lane>> ofAccounts = new HashMap<>();

  private final LaneSchedule<Lane> schedule = new LaneSchedule<>();
  private final LookCount lookCount = new LookCount();
  private final Object owner;
  private final RouteSource routeSource;
  private final WaitRecorder recorder;

  /**
   * Creates an index without lanes.
   *
   * @param owner identifies the endpoint: lanes with equal owners belong together
   */
  LaneIndex(Object owner, RouteSource routeSource, WaitRecorder recorder) {
    this.owner = owner;
    this.recorder = recorder;
    this.routeSource = routeSource;
  }

  /** Returns what identifies the endpoint. */
  Object endpoint() {
    return owner;
  }

  LookCount lookCount() {
    return lookCount;
  }

  /**
   * Returns how many lanes the tenant of a new ticket began if it may not begin another one, and
   * the ticket needs one; else 0. Each tenant may begin one; as with places, it may begin three
   * times as many more as are still free for all.
   */
  int overShare(ParkedTicket parkedTicket) {
    Lane own = byKey.get(parkedTicket.laneKey());
    boolean begins = own == null || (parkedTicket.queued() && own.tickets().size() == 1);
    int self = own == null ? 0 : 1;
    int others = begun.getOrDefault(parkedTicket.tenant(), 0) - self;
    if (!begins || others <= 0) {
      return 0;
    }
    int more = byKey.size() - begun.size() - self;
    boolean exceeded =
        others >= MOST_OF_TENANT || DynamicThreshold.isExceeded(others, MOST_MORE - more);
    return exceeded ? others : 0;
  }

  /** Returns the lanes with tickets that may have a claim. */
  List<Lane> claiming() {
    List<Lane> claiming = schedule.claiming();
    lookCount.add(claiming.size());
    return claiming;
  }

  Collection<Lane> all() {
    return byKey.values();
  }

  /** Returns a copy of all lanes: the caller may remove lanes while it iterates. */
  List<Lane> copy() {
    return List.copyOf(byKey.values());
  }

  /**
   * Returns a copy of the lanes with tickets that avoid an upstream: the caller may remove lanes
   * while it iterates.
   */
  List<Lane> avoiding() {
    return avoiding.isEmpty() ? List.of() : List.copyOf(avoiding);
  }

  /** Returns the routes of a ticket: those of its lane, if there is one, else new ones. */
  List<TicketRoute> routesOf(LaneKey laneKey, long now) {
    Lane known = byKey.get(laneKey);
    return known == null ? routeSource.of(laneKey, now) : known.routes();
  }

  /** Returns the lane of a ticket; creates it if there is none. */
  Lane of(ParkedTicket parkedTicket, QueueDiscipline<ParkedTicket> discipline, long now) {
    LaneKey laneKey = parkedTicket.laneKey();
    Lane lane = byKey.get(laneKey);
    if (lane == null) {
      begun.merge(parkedTicket.tenant(), 1, Integer::sum);
      lane =
          new Lane(
              laneKey,
              parkedTicket.tenant(),
              schedule,
              routeSource.of(laneKey, now),
              discipline,
              owner,
              routeSource,
              recorder.lane());
      byKey.put(laneKey, lane);
      schedule.add(lane);
      CallerAccount account = laneKey.account();
      if (account != null) {
        ofAccounts.computeIfAbsent(account, absent -> new LinkedHashSet<>()).add(lane);
      }
      if (!laneKey.avoidedUpstreams().isEmpty()) {
        avoiding.add(lane);
      }
      if (laneKey.warmup() != null) {
        warming.add(lane);
      }
    }
    return lane;
  }

  /** Removes a lane without tickets. */
  void remove(Lane lane) {
    byKey.remove(lane.key());
    schedule.remove(lane);
    begun.computeIfPresent(lane.beginner(), (name, lanes) -> lanes == 1 ? null : lanes - 1);
    CallerAccount account = lane.key().account();
    if (account != null) {
      ofAccounts.computeIfPresent(
          account,
          (same, lanes) -> {
            lanes.remove(lane);
            return lanes.isEmpty() ? null : lanes;
          });
    }
    avoiding.remove(lane);
    warming.remove(lane);
  }

  /** Returns the lanes of tickets that wait with an account. */
  Set<Lane> of(CallerAccount account) {
    return ofAccounts.getOrDefault(account, Set.of());
  }

  /** Adds the lanes that {@code released} skips while their tickets are held for a warm cache. */
  void addHeld(ParkedTicket released, Set<WaitList.Waiter> into, long now) {
    lookCount.add(warming.size());
    for (Lane lane : warming) {
      if (lane.passedWhileHeld(released, now)) {
        into.add(lane);
      }
    }
  }

  /**
   * Returns the first ticket in order, of all lanes, that can go now, or null; lanes in which none
   * can are set aside.
   */
  @Nullable ReleaseChoice choose(QueueDiscipline<ParkedTicket> discipline, long now) {
    // This comes first: a claim that ends here may let a ticket go in a lane that would otherwise
    // have been looked at before.
    claiming().forEach(lane -> lane.yieldHeld(now));
    ReleaseChoice best = null;
    for (Lane lane : schedule.awake(now)) {
      lookCount.add(1);
      if (best == null ? lookCount.spent() : !lane.precedes(best.ticket())) {
        continue;
      }
      while (lane.awake(now)) {
        lookCount.add(1);
        ReleaseChoice choice = lane.choose(now);
        if (choice == null) {
          lane.sleep(now);
          asleep.add(lane);
        } else {
          if (choice.ticket() != lane.tickets().first()) {
            lane.join(); // so that tickets of other lanes count the tickets they skip here
          }
          boolean before = best == null || discipline.precedes(choice.ticket(), best.ticket());
          best = before ? choice : best;
          break;
        }
      }
    }
    return best;
  }

  /** Returns the lanes that were set aside since the last call. */
  List<Lane> setAside() {
    if (asleep.isEmpty()) {
      return List.of();
    }
    List<Lane> lanes = List.copyOf(asleep);
    asleep.clear();
    return lanes;
  }

  /** Returns the first instant at which any lane should be looked at; NEVER when there is none. */
  long wakeAt() {
    return schedule.wakeAt();
  }
}
