package io.penstock.queue;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Tickets of several treaps in one order, by rank and then by arrival.
 *
 * @param <T> the kind of ticket
 */
final class MergedTreaps<T extends Ticket> {
  private record Head<T extends Ticket>(T ticket, TreapWalk<T> rest) {}

  private final Queue<Head<T>> heads =
      new PriorityQueue<>(
          Comparator.comparingLong((Head<T> head) -> head.ticket.rank)
              .thenComparingLong(head -> head.ticket.order));

  /** Adds the tickets of a treap. */
  void add(Treap<T> tickets) {
    add(new TreapWalk<>(tickets));
  }

  private void add(TreapWalk<T> walk) {
    T first = walk.next();
    if (first != null) {
      heads.add(new Head<>(first, walk));
    }
  }

  /** Returns the next ticket; null at the end. */
  @Nullable T next() {
    Head<T> head = heads.poll();
    if (head == null) {
      return null;
    }
    add(head.rest);
    return head.ticket;
  }
}
