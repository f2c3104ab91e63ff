package io.penstock.dispatch;

import io.penstock.tenant.SharedState;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Tickets of one endpoint that were refused and told when to come back. Tickets that are refused
 * later are told times behind them, so that not all of them come back at once and find room for
 * one.
 *
 * <p>A promise keeps no place and no room: it only changes what later refusals say, and is
 * forgotten at its instant, when the ticket itself is expected in the queue. At most {@link #MOST}
 * are kept, and none further ahead than {@link #FARTHEST_NANOS}, so that a client which repeats a
 * refused request all the time does not move the times away without end. Only the owner of the
 * queue may use it.
 */
final class PromisedReturns {
  static final int MOST = 1_000;
  static final long FARTHEST_NANOS = 900_000_000_000L;

  /** A ticket that is expected at an instant, as it counts for those behind it. */
  private record Promise(LaneKey laneKey, QueueBacklog ticket, long atNanos) {}

  /** The promises, the first that is due at the head. */
  @SharedState("times told with refusals")
  private final Queue<Promise> promises =
      new PriorityQueue<>(Comparator.comparingLong(Promise::atNanos));

  @SharedState("times told with refusals")
  private final Map<LaneKey, QueueBacklog> byLane = new LinkedHashMap<>();

  /** Forgets the promises that are due. */
  void forget(long now) {
    for (Promise due = promises.peek();
        due != null && due.atNanos() <= now;
        due = promises.peek()) {
      promises.remove();
      QueueBacklog lane = byLane.get(due.laneKey());
      if (lane != null && lane.remove(due.ticket().batch()) == 0) {
        byLane.remove(due.laneKey());
      }
    }
  }

  /** Returns the sums over the tickets that are expected back, by their lanes. */
  Map<LaneKey, QueueBacklog> byLane() {
    return Collections.unmodifiableMap(byLane);
  }

  /** Notes that a refused ticket was told to come back after {@code nanos}. */
  void promise(ParkedTicket refused, long nanos, long now) {
    if (nanos > FARTHEST_NANOS || promises.size() == MOST) {
      return;
    }
    QueueBacklog one = new QueueBacklog();
    one.add(refused);
    promises.add(new Promise(refused.laneKey(), one, now + nanos));
    byLane.computeIfAbsent(refused.laneKey(), absent -> new QueueBacklog()).add(one.batch());
  }
}
