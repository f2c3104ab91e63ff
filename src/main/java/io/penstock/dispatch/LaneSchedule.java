package io.penstock.dispatch;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * When each lane of an endpoint should be looked at, so that lanes in which nothing can go cost no
 * look. Only the owner of the queue may use it, except for {@link #wake} and {@link #claims}, which
 * are safe from any thread.
 *
 * @param <L> the kind of lane
 */
final class LaneSchedule<L extends LaneSchedule.Sleeper> {
  /** A lane as its schedule sees it. */
  interface Sleeper {
    /** Returns the instant at which it should be looked at; it changes only in {@link #change}. */
    long wakeAt();

    /** Returns the number that no other lane has. */
    long number();

    /** Returns whether it should be looked at now. */
    boolean awake(long now);

    /** Returns whether any of its tickets may have a claim. Safe from any thread. */
    boolean mayHaveClaim();
  }

  @SharedState("lanes")
  private final NavigableSet<L> byTime =
      new TreeSet<>(
          Comparator.<L>comparingLong(Sleeper::wakeAt).thenComparingLong(Sleeper::number));

  /** Lanes that were woken since the last look at the schedule. */
  @SharedState("lanes")
  private final Queue<L> woken = new ConcurrentLinkedQueue<>();

  /** Lanes with tickets that may have a claim. */
  @SharedState("lanes")
  private final Set<L> claiming = ConcurrentHashMap.newKeySet(1);

  private long numbers;

  /** Returns a number that no other lane has. */
  long number() {
    return numbers++;
  }

  /** Adds a lane. */
  void add(L lane) {
    byTime.add(lane);
  }

  /** Removes a lane. */
  void remove(L lane) {
    byTime.remove(lane);
    claiming.remove(lane);
  }

  /** Changes when a lane should be looked at. */
  void change(L lane, Runnable change) {
    boolean known = byTime.remove(lane);
    change.run();
    if (known) {
      byTime.add(lane);
    }
  }

  /** Notes that a lane should be looked at as soon as possible. */
  void wake(L lane) {
    woken.add(lane);
  }

  /** Notes that a ticket of a lane may have a claim. */
  void claims(L lane) {
    claiming.add(lane);
  }

  /** Returns the lanes with tickets that may have a claim. */
  List<L> claiming() {
    if (claiming.isEmpty()) {
      return List.of();
    }
    List<L> lanes = List.copyOf(claiming);
    for (L lane : lanes) {
      if (!mayHaveClaim(lane)) {
        claiming.remove(lane);
        if (mayHaveClaim(lane)) {
          claiming.add(lane); // another thread claimed meanwhile
        }
      }
    }
    return lanes;
  }

  private boolean mayHaveClaim(L lane) {
    return lane.mayHaveClaim() && byTime.contains(lane);
  }

  /** Returns the lanes that should be looked at now. */
  List<L> awake(long now) {
    for (L lane = woken.poll(); lane != null; lane = woken.poll()) {
      lane.awake(now);
    }
    List<L> awake = new ArrayList<>();
    for (L lane : byTime) {
      if (lane.wakeAt() > now) {
        break;
      }
      awake.add(lane);
    }
    return awake;
  }

  /** Returns the first instant at which any lane should be looked at; NEVER when there is none. */
  long wakeAt() {
    return byTime.isEmpty() ? Ticker.NEVER : byTime.first().wakeAt();
  }
}
