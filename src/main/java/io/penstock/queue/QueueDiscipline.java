package io.penstock.queue;

import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Discipline that determines the order of the queues of one endpoint. Belongs to one thread at a
 * time.
 *
 * @param <T> the kind of ticket
 */
public abstract class QueueDiscipline<T extends Ticket> {
  private final QueueOrder queueOrder;

  QueueDiscipline(QueueOrder queueOrder) {
    this.queueOrder = queueOrder;
  }

  /** Returns the order of this discipline. */
  public final QueueOrder order() {
    return queueOrder;
  }

  /**
   * Returns whether another discipline would put the same tickets in the same order, chance aside.
   */
  public abstract boolean same(QueueDiscipline<T> other);

  /** Creates a queue with this order. */
  public abstract TicketQueue<T> queue();

  /**
   * Gives a ticket its place before it waits anywhere.
   *
   * @param priority larger goes first, where priority counts
   * @param flow the name of the flow that the ticket belongs to, where shares are fair
   * @param weight of the flow, ≥ 1
   */
  public abstract void enter(T ticket, int priority, String flow, int weight);

  /** Returns whether {@code a} comes before {@code b}; both have entered. */
  public abstract boolean precedes(Ticket a, Ticket b);

  /**
   * Returns the tickets of some of its queues one by one, in the order in which they would go if
   * everything fitted and no other ticket came; null at the end. The queues must not change
   * meanwhile. O(queues and flows) at first, and O(log of those) for each ticket.
   */
  public abstract Supplier<@Nullable T> inTurn(Collection<TicketQueue<T>> queues);

  /** Returns whether {@code a} comes before {@code b}, and will as long as both wait. */
  public boolean staysBefore(Ticket a, Ticket b) {
    return precedes(a, b);
  }

  /**
   * Returns a copy without tickets, which goes on without this one. Copies of the waiting tickets
   * enter it and its queues before {@link #copied} is called; until then this one must not change.
   */
  public abstract QueueDiscipline<T> copy();

  /** Ends the copying. */
  public void copied() {}

  /** Records that a ticket goes. It has left its queue. */
  public abstract void charge(T ticket);

  /** Records the tokens, ≥ 0, that a ticket used after it went. */
  public abstract void settle(T ticket, long usedTokens);

  /** Returns whether it can be predicted which tickets go before a given one. */
  public final boolean foreseeable() {
    return queueOrder != QueueOrder.LIFO && queueOrder != QueueOrder.RANDOM;
  }
}
