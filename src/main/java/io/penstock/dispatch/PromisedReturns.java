package io.penstock.dispatch;

import io.penstock.tenant.PromiseHolder;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
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
 * forgotten at its instant, when the ticket itself is expected in the queue. Each client has one.
 * If it is refused again before its time, it keeps that time, or gets an earlier one. At most
 * {@link #MOST} promises are kept, and none further ahead than {@link #FARTHEST_NANOS}. Only the
 * owner of the queue may use it.
 */
final class PromisedReturns {
  static final int MOST = 1_000;
  static final long FARTHEST_NANOS = 900_000_000_000L;

  /** A ticket that is expected at an instant, as it counts for those behind it. */
  private record Promise(
      PromiseHolder holder, LaneKey laneKey, QueueBacklog ticket, long atNanos) {}

  /** The promises, the first that is due at the head. */
  @SharedState("times told with refusals")
  private final Queue<Promise> promises =
      new PriorityQueue<>(Comparator.comparingLong(Promise::atNanos));

  @SharedState("times told with refusals")
  private final Map<PromiseHolder, Promise> byClient = new HashMap<>();

  @SharedState("times told with refusals")
  private final Map<LaneKey, QueueBacklog> byLane = new LinkedHashMap<>();

  /** Forgets the promises that are due. */
  void forget(long now) {
    for (Promise due = promises.peek();
        due != null && due.atNanos() <= now;
        due = promises.peek()) {
      remove(due);
    }
  }

  private void remove(Promise promise) {
    promises.remove(promise);
    byClient.remove(promise.holder());
    QueueBacklog lane = byLane.get(promise.laneKey());
    if (lane != null && lane.remove(promise.ticket().batch()) == 0) {
      byLane.remove(promise.laneKey());
    }
  }

  /** Returns the sums over the tickets that are expected back, by their lanes. */
  Map<LaneKey, QueueBacklog> byLane() {
    return Collections.unmodifiableMap(byLane);
  }

  /**
   * Forgets the promise of the client of a refused ticket. Returns the time that is left of it, or
   * {@link Ticker#NEVER} if there was none.
   */
  long withdraw(ParkedTicket refused, long now) {
    Promise promise = byClient.get(holder(refused));
    if (promise == null) {
      return Ticker.NEVER;
    }
    remove(promise);
    return promise.atNanos() - now;
  }

  /** Notes that a refused ticket was told to come back after {@code nanos}. */
  void promise(ParkedTicket refused, long nanos, long now) {
    if (nanos > FARTHEST_NANOS || promises.size() == MOST) {
      return;
    }
    QueueBacklog one = new QueueBacklog();
    one.add(refused);
    PromiseHolder holder = holder(refused);
    Promise promise = new Promise(holder, refused.laneKey(), one, now + nanos);
    promises.add(promise);
    byClient.put(holder, promise);
    byLane.computeIfAbsent(refused.laneKey(), absent -> new QueueBacklog()).add(one.batch());
  }

  private PromiseHolder holder(ParkedTicket refused) {
    return refused.client().among(byClient.keySet());
  }
}
