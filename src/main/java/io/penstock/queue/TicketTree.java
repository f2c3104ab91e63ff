package io.penstock.queue;

import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tickets in order, with an index on their sizes: the first that fits is found in O(log n) where
 * one dimension binds. A treap (Seidel and Aragon, 1996) whose links are the tickets' own fields.
 *
 * <p>It also counts <em>skips</em>: how often a ticket was passed by a later one. Passing ticket s
 * skips all that are earlier, so it leaves one mark on the ticket just before it, and the skips of
 * a ticket are the marks on it and on all later ones. A ticket that leaves hands its marks to the
 * one before it. All of that is O(1), and exact.
 *
 * <p>Belongs to one thread at a time. No ticket is in two trees.
 *
 * @param <T> the kind of ticket
 */
public final class TicketTree<T extends Ticket> {
  private @Nullable Ticket root;
  private @Nullable Ticket first;
  private @Nullable Ticket last;
  private int size;
  private long marks;
  private final Sizes probe = new Sizes();

  /** Returns how many tickets wait here. */
  public int size() {
    return size;
  }

  /** Returns the first in order, or null when empty. */
  public @Nullable T first() {
    return cast(first);
  }

  /** Returns the one after {@code ticket} in order, or null. */
  public @Nullable T after(T ticket) {
    return cast(ticket.later);
  }

  @SuppressWarnings("unchecked") // only tickets given to add are linked
  private @Nullable T cast(@Nullable Ticket ticket) {
    return (T) ticket;
  }

  /** Adds a ticket at its place in order. */
  public void add(T ticket) {
    if (ticket.tree != null) {
      throw new IllegalStateException("ticket " + ticket.order() + " waits already");
    }
    ticket.tree = this;
    Ticket before = last;
    if (before != null && before.order() > ticket.order()) {
      before = floor(ticket.order());
    }
    Ticket after = before == null ? first : before.later;
    ticket.earlier = before;
    ticket.later = after;
    if (before == null) {
      first = ticket;
    } else {
      before.later = ticket;
    }
    if (after == null) {
      last = ticket;
    } else {
      after.earlier = ticket;
    }
    root = insert(root, ticket);
    size++;
  }

  /** Removes a ticket that goes while earlier ones stay: each of them is skipped once more. */
  public void pass(T ticket) {
    Ticket before = ticket.earlier;
    if (before != null) {
      before.marks++;
      marks++;
    }
    remove(ticket);
  }

  /** Removes a ticket, skipping nobody. */
  public void remove(T ticket) {
    if (ticket.tree != this) {
      throw new IllegalStateException("ticket " + ticket.order() + " does not wait here");
    }
    Ticket before = ticket.earlier;
    Ticket after = ticket.later;
    if (before == null) {
      first = after;
      marks -= ticket.marks;
    } else {
      before.later = after;
      before.marks += ticket.marks;
    }
    if (after == null) {
      last = before;
    } else {
      after.earlier = before;
    }
    root = erase(root, ticket);
    size--;
    ticket.tree = null;
    ticket.left = null;
    ticket.right = null;
    ticket.earlier = null;
    ticket.later = null;
    ticket.marks = 0;
  }

  /** Returns the ticket of that order, or null. */
  public @Nullable T find(long order) {
    Ticket node = root;
    while (node != null && node.order() != order) {
      node = order < node.order() ? node.left : node.right;
    }
    return cast(node);
  }

  /** Returns how often the first ticket was skipped by others of this tree. */
  public long skipsOfFirst() {
    return marks;
  }

  /** Returns the marks on a ticket: by so many fewer was the one after it skipped. */
  public long marks(T ticket) {
    return ticket.marks;
  }

  /** Returns the first in order whose sizes are all within {@code room}, or null. */
  public @Nullable T firstWithin(Sizes room) {
    return cast(firstWithin(root, room));
  }

  private static @Nullable Ticket firstWithin(@Nullable Ticket node, Sizes room) {
    if (node == null || !room.admit(node.leastSizes)) {
      return null;
    }
    Ticket found = firstWithin(node.left, room);
    if (found != null) {
      return found;
    }
    return room.admit(node.sizes) ? node : firstWithin(node.right, room);
  }

  /**
   * Returns the smallest value of {@code instant} over the sizes of all tickets, where larger sizes
   * never give smaller values; {@link Long#MAX_VALUE} when empty.
   */
  public long soonest(ToLongFunction<Sizes> instant) {
    return soonest(root, instant, Long.MAX_VALUE);
  }

  private long soonest(@Nullable Ticket node, ToLongFunction<Sizes> instant, long best) {
    if (node == null) {
      return best;
    }
    probe.set(node.leastSizes);
    if (instant.applyAsLong(probe) >= best) {
      return best;
    }
    probe.set(node.sizes);
    long found = Math.min(best, instant.applyAsLong(probe));
    found = soonest(node.left, instant, found);
    return soonest(node.right, instant, found);
  }

  /** Calls {@code visitor} with each ticket in order; it may remove the one it is given. */
  public void forEach(Consumer<? super T> visitor) {
    Ticket ticket = first;
    while (ticket != null) {
      Ticket next = ticket.later;
      visitor.accept(cast(ticket));
      ticket = next;
    }
  }

  private @Nullable Ticket floor(long order) {
    Ticket found = null;
    Ticket node = root;
    while (node != null) {
      if (node.order() < order) {
        found = node;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return found;
  }

  /** A well-mixed priority from the order (the finisher of MurmurHash3): no random source. */
  private static long priority(Ticket ticket) {
    long mixed = ticket.order() * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    return mixed ^ (mixed >>> 33);
  }

  private static Ticket insert(@Nullable Ticket node, Ticket ticket) {
    if (node == null || priority(ticket) > priority(node)) {
      split(node, ticket);
      return summed(ticket);
    }
    if (ticket.order() < node.order()) {
      node.left = insert(node.left, ticket);
    } else {
      node.right = insert(node.right, ticket);
    }
    return summed(node);
  }

  /** Splits a subtree around {@code at}, whose children become the two parts. */
  private static void split(@Nullable Ticket node, Ticket at) {
    if (node == null) {
      at.left = null;
      at.right = null;
    } else if (node.order() < at.order()) {
      split(node.right, at);
      node.right = at.left;
      at.left = summed(node);
    } else {
      split(node.left, at);
      node.left = at.right;
      at.right = summed(node);
    }
  }

  private static @Nullable Ticket erase(@Nullable Ticket node, Ticket ticket) {
    if (node == null) {
      return null;
    }
    if (node.order() == ticket.order()) {
      return merge(node.left, node.right);
    }
    if (ticket.order() < node.order()) {
      node.left = erase(node.left, ticket);
    } else {
      node.right = erase(node.right, ticket);
    }
    return summed(node);
  }

  private static @Nullable Ticket merge(@Nullable Ticket before, @Nullable Ticket after) {
    if (before == null) {
      return after;
    }
    if (after == null) {
      return before;
    }
    if (priority(before) > priority(after)) {
      before.right = merge(before.right, after);
      return summed(before);
    }
    after.left = merge(before, after.left);
    return summed(after);
  }

  private static Ticket summed(Ticket node) {
    for (int at = 0; at < node.sizes.length; at++) {
      long least = node.sizes[at];
      if (node.left != null) {
        least = Math.min(least, node.left.leastSizes[at]);
      }
      if (node.right != null) {
        least = Math.min(least, node.right.leastSizes[at]);
      }
      node.leastSizes[at] = least;
    }
    return node;
  }
}
