package io.penstock.dispatch;

import io.penstock.tenant.SharedState;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Waiting tickets by age, whatever the order in which they go. Tickets that no longer wait are
 * dropped once they are at the front, or once there are more of them than of those that wait:
 * amortised O(1) for each ticket, except for those that come back.
 */
final class ArrivalOrder {
  private static final int FEW = 64;

  @SharedState("waiting tickets")
  private final ArrayDeque<ParkedTicket> inOrderOfArrival = new ArrayDeque<>();

  /** Tickets that came back, which do not arrive in order of their numbers. */
  @SharedState("waiting tickets")
  private final PriorityQueue<ParkedTicket> back =
      new PriorityQueue<>(Comparator.comparingLong(parkedTicket -> parkedTicket.order()));

  void add(ParkedTicket parkedTicket, long waiting) {
    Collection<ParkedTicket> those = parkedTicket.carried() == null ? inOrderOfArrival : back;
    if (those.size() > FEW + 2 * waiting) {
      those.removeIf(each -> !each.waits());
    }
    those.add(parkedTicket);
  }

  @Nullable ParkedTicket first() {
    ParkedTicket arrived = first(inOrderOfArrival);
    ParkedTicket returned = first(back);
    boolean earlier = returned == null || (arrived != null && arrived.order() < returned.order());
    return earlier ? arrived : returned;
  }

  private static @Nullable ParkedTicket first(Queue<ParkedTicket> those) {
    ParkedTicket first = those.peek();
    while (first != null && !first.waits()) {
      those.remove();
      first = those.peek();
    }
    return first;
  }
}
