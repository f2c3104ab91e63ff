package io.penstock.endpoint;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Who has waited longest, whatever the order in which tickets go. Those who left are dropped once
 * they are in front, or once they are more than those who wait: O(1) a ticket, all in all, but for
 * those who come back.
 */
final class Elders {
  private static final int FEW = 64;

  private final ArrayDeque<Pending> inOrderOfArrival = new ArrayDeque<>();

  /** Those who came back, whatever came meanwhile. */
  private final PriorityQueue<Pending> back =
      new PriorityQueue<>(Comparator.comparingLong(pending -> pending.order()));

  void add(Pending pending, long waiting) {
    Collection<Pending> those = pending.carried() == null ? inOrderOfArrival : back;
    if (those.size() > FEW + 2 * waiting) {
      those.removeIf(each -> !each.waits());
    }
    those.add(pending);
  }

  @Nullable Pending first() {
    Pending arrived = first(inOrderOfArrival);
    Pending returned = first(back);
    boolean earlier = returned == null || (arrived != null && arrived.order() < returned.order());
    return earlier ? arrived : returned;
  }

  private static @Nullable Pending first(Queue<Pending> those) {
    Pending first = those.peek();
    while (first != null && !first.waits()) {
      those.remove();
      first = those.peek();
    }
    return first;
  }
}
