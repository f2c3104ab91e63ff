package io.penstock.queue;

import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tickets in the order of a {@link QueueDiscipline}, with an index on their sizes: the first that
 * fits is found in O(log n) if only one dimension is short.
 *
 * <p>It also counts <em>skips</em>: how often a ticket was overtaken by one that comes later in
 * order, exactly. A ticket keeps its count when it moves to another queue. Belongs to one thread at
 * a time. No ticket is in two queues.
 *
 * @param <T> the kind of ticket
 */
public abstract class TicketQueue<T extends Ticket> {
  private int size;
  private boolean resting;
  private Runnable whenMoved = () -> {};

  /** Sets what is called when the order of its tickets has changed although none came or left. */
  public final void whenMoved(Runnable action) {
    whenMoved = action;
  }

  /** Tells that the order of its tickets has changed. */
  final void moved() {
    whenMoved.run();
  }

  /**
   * Sets whether its tickets rest. Resting tickets count nowhere as waiting, as if they had not
   * come, and are not released. Whoever rests them decides whether they are skipped meanwhile.
   */
  public final void rest(boolean now) {
    if (resting != now) {
      resting = now;
      rested();
    }
  }

  /** Returns whether its tickets rest. */
  public final boolean resting() {
    return resting;
  }

  /** Called when {@link #resting} has changed. */
  abstract void rested();

  /** Returns how many tickets wait here. */
  public final int size() {
    return size;
  }

  /** Adds a ticket at its place in order. The ticket must have entered the discipline before. */
  public final void add(T ticket) {
    if (ticket.queue != null) {
      throw new IllegalStateException("ticket " + ticket.order() + " waits already");
    }
    insert(ticket);
    ticket.queue = this;
    size++;
  }

  /** Removes a ticket that goes while those before it stay: each of them counts one more skip. */
  public final void pass(T ticket) {
    skipBefore(ticket);
    remove(ticket);
  }

  /** Removes a ticket without a skip of any other. */
  @SuppressWarnings("ReferenceEquality") // queues are compared by identity
  public final void remove(T ticket) {
    if (ticket.queue != this) {
      throw new IllegalStateException("ticket " + ticket.order() + " does not wait here");
    }
    erase(ticket);
    ticket.queue = null;
    size--;
  }

  abstract void insert(T ticket);

  abstract void erase(T ticket);

  /** Returns the first ticket in order, or null when empty. */
  public abstract @Nullable T first();

  /** Returns how often the first ticket was skipped; 0 when empty. */
  public abstract int skipsOfFirst();

  /** Returns how often a ticket, which waits here, was skipped. */
  public abstract int skipsOf(T ticket);

  /**
   * Counts a skip of all tickets here that come before {@code released}, which waits here or in
   * another queue of the same discipline.
   */
  public abstract void skipBefore(Ticket released);

  /** Counts {@code times} skips of all tickets here. */
  public abstract void skipAll(int times);

  /**
   * Returns the next ticket, after {@code last} or from the start, that comes before {@code
   * released} and may not be skipped by it: it was skipped {@code maxSkips} times, or would fall
   * too far behind. Null when there is none.
   */
  public abstract @Nullable T unskippable(@Nullable T last, Ticket released, int maxSkips);

  /** Returns the first ticket in order that is within {@code room} in all dimensions, or null. */
  public abstract @Nullable T firstWithin(DimensionSizes room);

  /**
   * Returns the smallest value of {@code instant} over the sizes of all tickets, where larger sizes
   * never give smaller values; {@link Long#MAX_VALUE} when empty.
   */
  public abstract long soonest(ToLongFunction<DimensionSizes> instant);

  /** Calls {@code visitor} with each ticket in order; it may remove the one it is given. */
  public abstract void forEach(Consumer<? super T> visitor);

  /**
   * Calls {@code visitor} with each ticket that would go before {@code arrived}, which waits in no
   * queue yet, if everything fitted and no other ticket came; ends early when it returns false.
   * O(number of those tickets).
   */
  public abstract void ahead(Ticket arrived, Predicate<? super T> visitor);
}
