package io.penstock.endpoint;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Who has waited longest, whatever the order in which tickets go. Those who left are dropped once
 * they are in front, or once they are more than those who wait: O(1) a ticket, all in all.
 */
final class Elders {
  private static final int FEW = 64;

  private final ArrayDeque<Pending> inOrderOfArrival = new ArrayDeque<>();

  void add(Pending pending, long waiting) {
    if (inOrderOfArrival.size() > FEW + 2 * waiting) {
      inOrderOfArrival.removeIf(each -> !each.waits());
    }
    inOrderOfArrival.add(pending);
  }

  @Nullable Pending first() {
    Pending first = inOrderOfArrival.peek();
    while (first != null && !first.waits()) {
      inOrderOfArrival.remove();
      first = inOrderOfArrival.peek();
    }
    return first;
  }
}
