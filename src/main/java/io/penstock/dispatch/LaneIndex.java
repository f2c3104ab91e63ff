package io.penstock.dispatch;

import io.penstock.queue.QueueDiscipline;
import io.penstock.quota.WaitList;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
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

  /**
   * Whether there ever was a lane with tickets that wait for their own key's quotas, or for a
   * group's.
   */
  private boolean keyed;

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

  /** Returns the lane of tickets with that {@code laneKey}; creates it if there is none. */
  Lane of(LaneKey laneKey, QueueDiscipline<ParkedTicket> discipline, long now) {
    Lane lane = byKey.get(laneKey);
    if (lane == null) {
      lane =
          new Lane(
              laneKey,
              routeSource.of(laneKey, now),
              discipline,
              owner,
              routeSource,
              recorder.lane());
      byKey.put(laneKey, lane);
      keyed |= laneKey.account() != null || laneKey.warmup() != null;
      if (laneKey.avoidedUpstream() != null) {
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
    avoiding.remove(lane);
    warming.remove(lane);
  }

  /** Adds the lanes that {@code released} skips while their tickets are held for a warm cache. */
  void addHeld(ParkedTicket released, Set<WaitList.Waiter> into, long now) {
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
    if (keyed) {
      // This comes first: a claim that ends here may let a ticket go in a lane that would otherwise
      // have been looked at before.
      byKey.values().forEach(lane -> lane.yieldHeld(now));
    }
    ReleaseChoice best = null;
    for (Lane lane : byKey.values()) {
      while (lane.awake(now)) {
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
    long next = Ticker.NEVER;
    for (Lane lane : byKey.values()) {
      next = Math.min(next, lane.wakeAt());
    }
    return next;
  }
}
