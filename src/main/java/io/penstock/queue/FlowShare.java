package io.penstock.queue;

import java.util.function.ToLongFunction;

/** The tickets of one flow that wait in one queue; a node among those of the other flows. */
final class FlowShare<T extends TreapNode> extends TreapNode {
  final FairFlow flow;
  final Treap<T> tickets = new Treap<>();

  /** All flows of the queue. */
  private final Treap<FlowShare<T>> shares;

  private final Runnable whenMoved;

  FlowShare(FairFlow fairFlow, Treap<FlowShare<T>> shares, Runnable whenMoved) {
    super(fairFlow.since(), fairFlow.since());
    this.flow = fairFlow;
    this.shares = shares;
    this.whenMoved = whenMoved;
  }

  /** Returns whether it belongs to the queue with those flows. */
  boolean in(Treap<?> others) {
    return shares == others;
  }

  /** Sets its place among the others by the service of the flow. */
  void place() {
    // Doubles that are not negative are in the order of their bits.
    rank = Double.doubleToRawLongBits(flow.service());
    order = flow.since();
    reflect();
  }

  /** Moves to the place that the service of the flow gives it now. */
  void move() {
    shares.remove(this);
    place();
    shares.add(this);
    whenMoved.run();
  }

  /** Copies the sizes and skips of the waiting tickets to this node. */
  void reflect() {
    TreapNode top = tickets.top();
    if (top != null) {
      sizesOf(top);
    }
    skips(tickets.mostSkips());
  }

  @Override
  boolean fits(DimensionSizes room) {
    return tickets.firstWithin(room) != null;
  }

  @Override
  long soonest(ToLongFunction<DimensionSizes> instant, DimensionSizes probe) {
    return tickets.soonest(instant, probe);
  }

  @Override
  void passed(int times) {
    super.passed(times);
    tickets.skip(times);
  }
}
