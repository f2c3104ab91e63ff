package io.penstock.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tickets by flow: the flow that got the least comes first, and in each flow the oldest ticket.
 * Only flows with waiting tickets are in the queue, so nothing depends on how many are known.
 */
final class FairQueue<T extends Ticket> extends TicketQueue<T> {
  private final Treap<FlowShare<T>> shares = new Treap<>();
  private final DimensionSizes probe = new DimensionSizes();
  private final FairDiscipline<T> discipline;

  FairQueue(FairDiscipline<T> discipline) {
    this.discipline = discipline;
  }

  private static FairFlow flow(Ticket ticket) {
    FairFlow fairFlow = ticket.flow;
    if (fairFlow == null) {
      throw new IllegalStateException("ticket " + ticket.order() + " has no flow");
    }
    return fairFlow;
  }

  /** Returns an iteration over what waits here, by flow. */
  TreapWalk<FlowShare<T>> walk() {
    return new TreapWalk<>(shares);
  }

  @SuppressWarnings("unchecked") // the shares of a queue contain its kind of ticket
  private @Nullable FlowShare<T> share(FairFlow fairFlow) {
    for (FlowShare<?> each : fairFlow.shares) {
      if (each.in(shares)) {
        return (FlowShare<T>) each;
      }
    }
    return null;
  }

  private FlowShare<T> shareOf(T ticket) {
    FlowShare<T> share = share(flow(ticket));
    if (share == null) {
      throw new IllegalStateException("nothing waits of the flow of ticket " + ticket.order());
    }
    return share;
  }

  /** Makes flows idle if all their tickets rest; when they come back, they are lifted as if new. */
  @Override
  void rested() {
    List<FlowShare<T>> all = new ArrayList<>();
    for (FlowShare<T> share = shares.first(); share != null; share = shares.after(share)) {
      all.add(share);
    }
    double least = discipline.least(); // none of those that come back is lifted to another of them
    for (FlowShare<T> share : all) {
      if (resting()) {
        discipline.leaves(share.flow, share.tickets.size());
      } else {
        discipline.joins(share.flow, share.flow.since(), share.tickets.size(), least);
      }
    }
  }

  @Override
  void insert(T ticket) {
    FairFlow fairFlow = flow(ticket);
    if (!resting()) {
      discipline.joins(fairFlow, ticket.order, 1, discipline.least());
    } else if (fairFlow.shares.isEmpty() && !discipline.copying()) {
      fairFlow.since(ticket.order);
    }
    FlowShare<T> share = share(fairFlow);
    if (share == null) {
      FlowShare<T> fresh = new FlowShare<>(fairFlow, shares, this::moved);
      fairFlow.shares.add(fresh);
      fresh.tickets.add(ticket);
      fresh.place();
      shares.add(fresh);
    } else {
      shares.changed(
          share,
          () -> {
            share.tickets.add(ticket);
            share.reflect();
          });
    }
  }

  @Override
  void erase(T ticket) {
    FlowShare<T> share = shareOf(ticket);
    if (share.tickets.size() == 1) {
      shares.remove(share);
      share.tickets.remove(ticket);
      share.flow.shares.remove(share);
    } else {
      shares.changed(
          share,
          () -> {
            share.tickets.remove(ticket);
            share.reflect();
          });
    }
    if (!resting()) {
      discipline.leaves(share.flow, 1);
    }
  }

  @Override
  public @Nullable T first() {
    FlowShare<T> first = shares.first();
    return first == null ? null : first.tickets.first();
  }

  @Override
  public int skipsOfFirst() {
    FlowShare<T> share = shares.first();
    T first = share == null ? null : share.tickets.first();
    if (share == null || first == null) {
      return 0;
    }
    shares.skips(share); // updates the share with skips that were counted above it
    return share.tickets.skips(first);
  }

  @Override
  public int skipsOf(T ticket) {
    FlowShare<T> share = shareOf(ticket);
    shares.skips(share); // updates the share with skips that were counted above it
    return share.tickets.skips(ticket);
  }

  @Override
  public void skipBefore(Ticket released) {
    FairFlow fairFlow = flow(released);
    FlowShare<T> same = share(fairFlow);
    FlowShare<T> least = shares.first();
    T first = least == null ? null : least.tickets.first();
    if (first == null || (least == same && first.order >= released.order)) {
      return; // no ticket comes before it
    }
    if (same == null) {
      shares.skipBefore(Double.doubleToRawLongBits(fairFlow.service()), fairFlow.since());
      return;
    }
    shares.skipBefore(same.rank, same.order);
    T head = same.tickets.first();
    if (head != null && head.order < released.order) {
      shares.changed(
          same,
          () -> {
            same.tickets.skipBefore(released.rank, released.order);
            same.reflect();
          });
    }
  }

  @Override
  public void skipAll(int times) {
    shares.skip(times);
  }

  @Override
  public @Nullable T unskippable(@Nullable T last, Ticket released, int maxSkips) {
    FairFlow going = flow(released);
    FlowShare<T> same = share(going);
    long rank = same == null ? Double.doubleToRawLongBits(going.service()) : same.rank;
    long order = going.since();
    double behind = discipline.tooFarBehind(released, going);
    FlowShare<T> share = last == null ? shares.first() : share(flow(last));
    T after = last;
    while (share != null && (share == same || share.before(rank, order))) {
      T found = unskippable(share, after, released, behind, maxSkips);
      if (found != null || share == same) {
        return found;
      }
      share = next(share, behind, maxSkips);
      after = null;
    }
    return null;
  }

  private @Nullable T unskippable(
      FlowShare<T> share, @Nullable T after, Ticket released, double behind, int maxSkips) {
    boolean lags = share.flow != released.flow && share.flow.service() < behind;
    if (lags && after == null) {
      return share.tickets.first();
    }
    shares.skips(share);
    T found =
        after == null
            ? share.tickets.skipped(Long.MIN_VALUE, Long.MIN_VALUE, maxSkips)
            : share.tickets.skipped(after.rank, after.order, maxSkips);
    boolean later = found != null && share.flow == released.flow && found.order >= released.order;
    return later ? null : found;
  }

  /**
   * Returns the next share that may contain a ticket that was skipped enough, or that lags behind.
   */
  private @Nullable FlowShare<T> next(FlowShare<T> share, double behind, int maxSkips) {
    FlowShare<T> next = shares.after(share);
    return next == null || next.flow.service() < behind
        ? next
        : shares.skipped(share.rank, share.order, maxSkips);
  }

  @Override
  public @Nullable T firstWithin(DimensionSizes room) {
    FlowShare<T> share = shares.firstWithin(room);
    return share == null ? null : share.tickets.firstWithin(room);
  }

  @Override
  public long soonest(ToLongFunction<DimensionSizes> instant) {
    return shares.soonest(instant, probe);
  }

  @Override
  public void forEach(Consumer<? super T> visitor) {
    FlowShare<T> share = shares.first();
    while (share != null) {
      FlowShare<T> next = shares.after(share);
      T ticket = share.tickets.first();
      while (ticket != null) {
        T following = share.tickets.after(ticket);
        visitor.accept(ticket);
        ticket = following;
      }
      share = next;
    }
  }

  /** Returns whether a flow goes before another one; equal ones go in the order of their turns. */
  private static boolean goesFirst(FairFlow flow, double service, double other, long since) {
    return service < other || (service == other && flow.since() < since);
  }

  @Override
  public void ahead(Ticket arrived, Predicate<? super T> visitor) {
    FairFlow fairFlow = flow(arrived);
    double until = discipline.lifted(fairFlow);
    long since = fairFlow.idle() ? arrived.order() : fairFlow.since();
    FlowShare<T> own = share(fairFlow);
    if (own != null) {
      for (T each = own.tickets.first(); each != null; each = own.tickets.after(each)) {
        until += (double) each.tokens() / fairFlow.weight;
        if (!visitor.test(each)) {
          return;
        }
      }
    }
    for (FlowShare<T> share = shares.first(); share != null; share = shares.after(share)) {
      double service = share.flow.service();
      T each = share.flow == fairFlow ? null : share.tickets.first();
      for (;
          each != null && goesFirst(share.flow, service, until, since);
          each = share.tickets.after(each)) {
        service += (double) each.tokens() / share.flow.weight;
        if (!visitor.test(each)) {
          return;
        }
      }
    }
  }
}
