package io.penstock.queue;

import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fair shares by tokens: the flow that got the least for its weight goes next.
 *
 * <p>Source: the virtual token counter of Sheng et al., <em>Fairness in Serving Large Language
 * Models</em>, OSDI 2024. A flow that comes back from idleness is lifted to the least active one,
 * so that it cannot save up a claim; a flow that got more keeps its count. The expected cost of a
 * request counts when it goes, and its usage once that is known.
 *
 * <p>A flow whose tickets do not fit may be overtaken, but the flow that overtakes it never gets
 * ahead by more than one and a half times the largest cost. So over any stretch of time, the
 * service of two busy flows of equal weight differs by at most three times the largest cost: the
 * difference between them at its end, plus the difference at its beginning.
 */
final class FairDiscipline<T extends Ticket> extends QueueDiscipline<T> {
  private static final double MOST_AHEAD = 1.5;
  private static final int FEW = 1_024;

  /** How many flows without waiting tickets are remembered because they got more than others. */
  private static final int MOST_REMEMBERED = 10_000;

  @SharedState("flows of a fair order")
  private final Map<String, FairFlow> flows = new HashMap<>();

  /** The flows with waiting tickets, in the order of the service that they got. */
  @SharedState("flows of a fair order")
  private final NavigableSet<FairFlow> active =
      new TreeSet<>(
          Comparator.comparingDouble(FairFlow::service).thenComparingLong(FairFlow::number));

  private long numbers;
  private int sweepAt = FEW;
  private double least;
  private long largest;

  /** The original while this is becoming its copy; else null. */
  private @Nullable FairDiscipline<T> original;

  FairDiscipline() {
    super(QueueOrder.FAIR);
  }

  @Override
  public boolean same(QueueDiscipline<T> other) {
    return other instanceof FairDiscipline<T>;
  }

  @Override
  public TicketQueue<T> queue() {
    return new FairQueue<>(this);
  }

  @Override
  public void enter(T ticket, int priority, String name, int weight) {
    FairFlow fairFlow = flows.get(name);
    if (fairFlow == null) {
      sweep();
      FairFlow known = original == null ? null : original.flows.get(name);
      fairFlow = new FairFlow(numbers++, weight);
      if (known != null) {
        fairFlow.copy(known);
      }
      flows.put(name, fairFlow);
    }
    if (!copying()) {
      fairFlow.weigh(weight);
    }
    ticket.flow = fairFlow;
    ticket.rank = 0;
  }

  /** Returns the service of a flow, which is lifted if it comes back. */
  double lifted(FairFlow fairFlow) {
    return fairFlow.idle() ? Math.max(fairFlow.service(), least()) : fairFlow.service();
  }

  /**
   * Returns the service to which a flow that comes back is lifted: that of the least active flow,
   * or of the last one that was active.
   */
  double least() {
    return active.isEmpty() ? least : active.first().service();
  }

  void joins(FairFlow fairFlow, long order, int tickets, double liftedTo) {
    if (fairFlow.idle()) {
      if (!copying()) {
        fairFlow.lift(liftedTo);
        fairFlow.since(order);
        fairFlow.shares.forEach(FlowShare::move); // those in resting queues
      }
      active.add(fairFlow);
    }
    fairFlow.waits(tickets);
  }

  void leaves(FairFlow fairFlow, int tickets) {
    fairFlow.waits(-tickets);
    if (fairFlow.idle()) {
      active.remove(fairFlow);
      largest = active.isEmpty() ? 0 : largest;
    }
  }

  /**
   * Returns the service below which {@code fairFlow} would fall too far behind if {@code released}
   * passed it.
   */
  double tooFarBehind(Ticket released, FairFlow fairFlow) {
    long cost = released.tokens();
    return fairFlow.service() + (cost - MOST_AHEAD * Math.max(largest, cost)) / fairFlow.weight;
  }

  @Override
  public boolean precedes(Ticket a, Ticket b) {
    FairFlow one = a.flow;
    FairFlow other = b.flow;
    if (one == null || other == null || one == other) {
      return a.order() < b.order();
    }
    return one.service() == other.service()
        ? one.since() < other.since()
        : one.service() < other.service();
  }

  @Override
  public Supplier<@Nullable T> inTurn(Collection<TicketQueue<T>> some) {
    List<FairQueue<T>> fair = new ArrayList<>(some.size());
    for (TicketQueue<T> queue : some) {
      if (queue instanceof FairQueue<T> each) {
        fair.add(each);
      }
    }
    return new FairTurns<>(fair)::next;
  }

  @Override
  public boolean staysBefore(Ticket a, Ticket b) {
    return a.flow == b.flow && a.order() < b.order();
  }

  @Override
  public QueueDiscipline<T> copy() {
    FairDiscipline<T> copy = new FairDiscipline<>();
    copy.original = this;
    copy.least = least;
    copy.largest = largest;
    return copy;
  }

  @Override
  public void copied() {
    original = null;
  }

  /** Returns whether flows come with what they had in another discipline, and are not lifted. */
  boolean copying() {
    return original != null;
  }

  @Override
  public void charge(T ticket) {
    FairFlow fairFlow = ticket.flow;
    if (fairFlow != null) {
      double first = active.isEmpty() ? Double.MAX_VALUE : active.first().service();
      least = Math.max(least, Math.min(fairFlow.service(), first));
      largest = Math.max(largest, ticket.tokens());
      serve(fairFlow, (double) ticket.tokens());
    }
  }

  @Override
  public void settle(T ticket, long usedTokens) {
    FairFlow fairFlow = ticket.flow;
    if (fairFlow != null) {
      serve(fairFlow, (double) Math.max(1, usedTokens) - ticket.tokens());
    }
  }

  private void serve(FairFlow fairFlow, double tokens) {
    if (tokens != 0) {
      boolean waits = active.remove(fairFlow);
      fairFlow.serve(tokens);
      if (waits) {
        active.add(fairFlow);
      }
      fairFlow.shares.forEach(FlowShare::move);
    }
  }

  /**
   * Forgets flows without waiting tickets that got no more than the others. If a request of such a
   * flow still runs and uses more than expected, that is forgotten as well.
   */
  private void sweep() {
    if (flows.size() < sweepAt) {
      return;
    }
    flows
        .values()
        .removeIf(fairFlow -> fairFlow.idle() && fairFlow.gone() && fairFlow.service() <= least);
    if (flows.size() > active.size() + MOST_REMEMBERED) {
      flows.values().removeIf(fairFlow -> fairFlow.idle() && fairFlow.gone());
    }
    sweepAt = Math.max(FEW, 2 * flows.size());
  }

  /** Returns how many flows are known. */
  int known() {
    return flows.size();
  }
}
