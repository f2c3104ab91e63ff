package io.penstock.queue;

import java.util.Collection;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Disciplines in which the place of a ticket is a number that is known when the ticket comes.
 *
 * <p>Priority that grows with waiting is one of them: {@code priority + (now − arrived) ÷ aging}
 * orders tickets as {@code arrived − priority × aging} does, at any time.
 *
 * <p>Random order is one as well: the wait of a ticket is drawn from an exponential distribution,
 * on a clock that stands at the place of the last ticket that went. The distribution has no memory,
 * so each waiting ticket is as likely as any other to be next, however long it has waited.
 */
final class RankedDiscipline<T extends Ticket> extends QueueDiscipline<T> {
  /** The mean of the distribution: ties are rare, and 2⁴³ draws do not overflow. */
  private static final double MEAN = 1 << 20;

  private final long agingNanos;
  private final SplittableRandom random;
  private long drawnUntil;

  RankedDiscipline(QueueOrder queueOrder, long agingNanos, long seed) {
    super(queueOrder);
    this.agingNanos = queueOrder == QueueOrder.PRIORITY ? agingNanos : 0;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public boolean same(QueueDiscipline<T> other) {
    return other instanceof RankedDiscipline<T> ranked
        && ranked.order() == order()
        && ranked.agingNanos == agingNanos;
  }

  @Override
  public TicketQueue<T> queue() {
    return new RankedQueue<>();
  }

  @Override
  public void enter(T ticket, int priority, String flow, int weight) {
    ticket.rank =
        switch (order()) {
          case FIFO, FAIR -> 0;
          case LIFO -> -ticket.order();
          case PRIORITY -> aged(ticket.arrivedNanos(), priority);
          case RANDOM -> drawnUntil + (long) (-MEAN * Math.log(1 - random.nextDouble()));
          case DEADLINE -> ticket.deadlineNanos();
        };
  }

  private long aged(long arrivedNanos, int priority) {
    if (agingNanos == 0) {
      return -(long) priority;
    }
    // Exact unless a ticket waits for centuries for each step.
    double ahead = (double) priority * agingNanos;
    return Math.abs(ahead) > Long.MAX_VALUE / 4.0
        ? priority > 0 ? Long.MIN_VALUE / 2 : Long.MAX_VALUE / 2
        : arrivedNanos - priority * agingNanos;
  }

  @Override
  public boolean precedes(Ticket a, Ticket b) {
    return a.before(b);
  }

  @Override
  public Supplier<@Nullable T> inTurn(Collection<TicketQueue<T>> queues) {
    MergedTreaps<T> all = new MergedTreaps<>();
    for (TicketQueue<T> queue : queues) {
      if (queue instanceof RankedQueue<T> ranked) {
        ranked.into(all);
      }
    }
    return all::next;
  }

  @Override
  public QueueDiscipline<T> copy() {
    RankedDiscipline<T> copy = new RankedDiscipline<>(order(), agingNanos, 0);
    copy.drawnUntil = drawnUntil;
    return copy;
  }

  @Override
  public void charge(T ticket) {
    drawnUntil = order() == QueueOrder.RANDOM ? Math.max(drawnUntil, ticket.rank) : 0;
  }

  @Override
  public void settle(T ticket, long usedTokens) {}
}
