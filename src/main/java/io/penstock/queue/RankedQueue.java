package io.penstock.queue;

import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Tickets with a place that is known when they come, and does not change. */
final class RankedQueue<T extends Ticket> extends TicketQueue<T> {
  private final Treap<T> tickets = new Treap<>();
  private final DimensionSizes probe = new DimensionSizes();

  @Override
  void rested() {}

  /** Adds all tickets of this queue to {@code all}. */
  void into(MergedTreaps<T> all) {
    all.add(tickets);
  }

  @Override
  void insert(T ticket) {
    tickets.add(ticket);
  }

  @Override
  void erase(T ticket) {
    tickets.remove(ticket);
  }

  @Override
  public @Nullable T first() {
    return tickets.first();
  }

  @Override
  public int skipsOfFirst() {
    T first = tickets.first();
    return first == null ? 0 : tickets.skips(first);
  }

  @Override
  public int skipsOf(T ticket) {
    return tickets.skips(ticket);
  }

  @Override
  public void skipBefore(Ticket released) {
    T first = tickets.first();
    if (first != null && first.before(released)) {
      tickets.skipBefore(released.rank, released.order);
    }
  }

  @Override
  public void skipAll(int times) {
    tickets.skip(times);
  }

  @Override
  public @Nullable T unskippable(@Nullable T last, Ticket released, int maxSkips) {
    T found =
        last == null
            ? tickets.skipped(Long.MIN_VALUE, Long.MIN_VALUE, maxSkips)
            : tickets.skipped(last.rank, last.order, maxSkips);
    return found != null && found.before(released) ? found : null;
  }

  @Override
  public @Nullable T firstWithin(DimensionSizes room) {
    return tickets.firstWithin(room);
  }

  @Override
  public long soonest(ToLongFunction<DimensionSizes> instant) {
    return tickets.soonest(instant, probe);
  }

  @Override
  public void forEach(Consumer<? super T> visitor) {
    T ticket = tickets.first();
    while (ticket != null) {
      long rank = ticket.rank;
      long order = ticket.order;
      visitor.accept(ticket);
      ticket = tickets.after(rank, order);
    }
  }

  @Override
  public void ahead(Ticket arrived, Predicate<? super T> visitor) {
    T ticket = tickets.first();
    while (ticket != null && ticket.before(arrived) && visitor.test(ticket)) {
      ticket = tickets.after(ticket);
    }
  }
}
