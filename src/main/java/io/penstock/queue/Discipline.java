package io.penstock.queue;

import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What decides the order of the queues of one endpoint. Belongs to one thread at a time.
 *
 * @param <T> the kind of ticket
 */
public abstract sealed class Discipline<T extends Ticket> permits RankedDiscipline, FairDiscipline {
  private final Order order;

  Discipline(Order order) {
    this.order = order;
  }

  /**
   * Makes a discipline.
   *
   * @param agingNanos by waiting so long a ticket gains one step of priority; 0 is off
   * @param seed of what is drawn by chance
   */
  public static <T extends Ticket> Discipline<T> of(Order order, long agingNanos, long seed) {
    return order == Order.FAIR
        ? new FairDiscipline<>()
        : new RankedDiscipline<>(order, agingNanos, seed);
  }

  /** Returns the order it keeps. */
  public final Order order() {
    return order;
  }

  /** Returns whether another would put the same tickets in the same order, chance aside. */
  public abstract boolean same(Discipline<T> other);

  /** Makes a queue that keeps this order. */
  public abstract TicketQueue<T> queue();

  /** Forgets a queue that is empty. */
  public abstract void retire(TicketQueue<T> queue);

  /**
   * Gives a ticket its place before it waits anywhere.
   *
   * @param priority larger goes first, where that counts
   * @param flow whose it is, where shares are fair
   * @param weight of the flow, ≥ 1
   */
  public abstract void enter(T ticket, int priority, String flow, int weight);

  /** Returns whether {@code a} comes before {@code b}; both have entered. */
  public abstract boolean precedes(Ticket a, Ticket b);

  /**
   * Returns the tickets of some of its queues one by one, as they would go if everything fitted and
   * nobody else came; null at the end. Nothing may change meanwhile. O(queues and flows) at first,
   * and O(log of those) a ticket.
   */
  public abstract Supplier<@Nullable T> inTurn(Collection<TicketQueue<T>> queues);

  /** Takes note that a ticket goes. It has left its queue. */
  public abstract void charge(T ticket);

  /** Takes note of what a ticket that went has used in the end, in tokens ≥ 0. */
  public abstract void settle(T ticket, long usedTokens);

  /** Returns whether {@link #settle} makes a difference. */
  public final boolean settles() {
    return order == Order.FAIR;
  }

  /** Returns whether it can be known who goes before a ticket. */
  public final boolean foreseeable() {
    return order != Order.LIFO && order != Order.RANDOM;
  }
}
