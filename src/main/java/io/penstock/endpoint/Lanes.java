package io.penstock.endpoint;

import io.penstock.queue.Discipline;
import io.penstock.time.Ticker;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lanes of one endpoint, by what their tickets face. Belongs to the owner of the queue. */
final class Lanes {
  private final Map<Facing, Lane> byFacing = new HashMap<>();

  /** Those set aside since somebody asked. */
  private final Set<Lane> asleep = new HashSet<>();

  /** Those whose tickets avoid an upstream. */
  private final Set<Lane> avoiding = new LinkedHashSet<>();

  /** Whether there ever was one whose tickets wait for their own key too. */
  private boolean keyed;

  private final Dispatcher owner;
  private final Routes routes;

  Lanes(Dispatcher owner, Routes routes) {
    this.owner = owner;
    this.routes = routes;
  }

  Collection<Lane> all() {
    return byFacing.values();
  }

  /** Returns all lanes; who goes through them may remove some. */
  List<Lane> copy() {
    return List.copyOf(byFacing.values());
  }

  /** Returns those whose tickets avoid an upstream; who goes through them may remove some. */
  List<Lane> avoiding() {
    return avoiding.isEmpty() ? List.of() : List.copyOf(avoiding);
  }

  /** Returns the ways of a ticket; those of its lane, if there is one. */
  List<Route> ways(Facing facing, long now) {
    Lane known = byFacing.get(facing);
    return known == null ? routes.of(facing, now) : known.routes();
  }

  /** Returns the lane of tickets that face the same, made if there is none. */
  Lane of(Facing facing, Discipline<Pending> discipline, long now) {
    Lane lane = byFacing.get(facing);
    if (lane == null) {
      lane = new Lane(facing, routes.of(facing, now), discipline, owner, routes);
      byFacing.put(facing, lane);
      keyed |= facing.account() != null;
      if (facing.not() != null) {
        avoiding.add(lane);
      }
    }
    return lane;
  }

  /** Forgets a lane in which nobody waits. */
  void remove(Lane lane) {
    byFacing.remove(lane.facing());
    avoiding.remove(lane);
  }

  /** The earliest ticket of all lanes that can go; lanes without one are set aside. */
  @Nullable Choice choose(Discipline<Pending> discipline, long now) {
    if (keyed) {
      // First: what they keep no more may let go one that was looked at before them.
      byFacing.values().forEach(lane -> lane.yieldHeld(now));
    }
    Choice best = null;
    for (Lane lane : byFacing.values()) {
      while (lane.awake(now)) {
        Choice choice = lane.choose(now);
        if (choice == null) {
          lane.sleep(now);
          asleep.add(lane);
        } else {
          if (choice.pending() != lane.tickets().first()) {
            lane.join(); // so that tickets of other lanes count whom they pass here
          }
          boolean before = best == null || discipline.precedes(choice.pending(), best.pending());
          best = before ? choice : best;
          break;
        }
      }
    }
    return best;
  }

  /** Takes out the lanes that were set aside since the last call. */
  List<Lane> setAside() {
    if (asleep.isEmpty()) {
      return List.of();
    }
    List<Lane> lanes = List.copyOf(asleep);
    asleep.clear();
    return lanes;
  }

  /** Returns the first instant at which one of them is worth looking at. */
  long wakeAt() {
    long next = Ticker.NEVER;
    for (Lane lane : byFacing.values()) {
      next = Math.min(next, lane.wakeAt());
    }
    return next;
  }
}
