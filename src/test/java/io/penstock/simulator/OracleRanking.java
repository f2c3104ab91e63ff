package io.penstock.simulator;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.queue.QueueOrder;
import org.jspecify.annotations.Nullable;

/** Order of the tickets of one endpoint: which of two goes first if both can. */
final class OracleRanking {
  private final QueueOrder queueOrder;
  private final long agingNanos;
  final @Nullable OracleFair fair;

  OracleRanking(EndpointSpec.Scheduling scheduling, boolean lifts) {
    this.queueOrder = scheduling.order();
    this.agingNanos = scheduling.agingNanos();
    this.fair = queueOrder == QueueOrder.FAIR ? new OracleFair(lifts) : null;
  }

  QueueOrder order() {
    return queueOrder;
  }

  /** Returns whether those settings mean this very order, so that its counts stay valid. */
  boolean same(EndpointSpec.Scheduling scheduling) {
    boolean aged = queueOrder == QueueOrder.PRIORITY;
    return queueOrder == scheduling.order() && (!aged || agingNanos == scheduling.agingNanos());
  }

  /** Returns whether the order is known. */
  boolean sure() {
    return queueOrder != QueueOrder.RANDOM && (fair == null || fair.sure());
  }

  boolean before(SimTicket a, SimTicket b, long now) {
    return switch (queueOrder) {
      case FIFO -> a.order < b.order;
      case LIFO -> a.order > b.order;
      case PRIORITY -> {
        long one = effective(a, now);
        long other = effective(b, now);
        yield one != other ? one > other : a.order < b.order;
      }
      case DEADLINE -> a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
      case RANDOM -> false;
      case FAIR -> fair != null && fair.before(a, b);
    };
  }

  /** Returns (priority + waited ÷ aging) × aging, which is a whole number. */
  private long effective(SimTicket ticket, long now) {
    long priority = ticket.ask.sender().priority();
    return agingNanos == 0 ? priority : priority * agingNanos + now - ticket.arrived;
  }

  void joins(SimTicket ticket) {
    if (fair != null) {
      fair.joins(ticket);
    }
  }

  void leaves(SimTicket ticket) {
    if (fair != null) {
      fair.leaves(ticket);
    }
  }
}
