package io.penstock.sim;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.queue.Order;
import org.jspecify.annotations.Nullable;

/** Order of the tickets of one endpoint: which of two goes first if both can. */
final class OracleRanking {
  private final Order order;
  private final long agingNanos;
  final @Nullable OracleFair fair;

  OracleRanking(EndpointSpec.Scheduling scheduling, boolean lifts) {
    this.order = scheduling.order();
    this.agingNanos = scheduling.agingNanos();
    this.fair = order == Order.FAIR ? new OracleFair(lifts) : null;
  }

  Order order() {
    return order;
  }

  /** Returns whether those settings mean this very order, so that its counts stay valid. */
  boolean same(EndpointSpec.Scheduling scheduling) {
    boolean aged = order == Order.PRIORITY;
    return order == scheduling.order() && (!aged || agingNanos == scheduling.agingNanos());
  }

  /** Returns whether the order is known. */
  boolean sure() {
    return order != Order.RANDOM && (fair == null || fair.sure());
  }

  boolean before(SimTicket a, SimTicket b, long now) {
    return switch (order) {
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
    long priority = ticket.ask.priority();
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
