package io.penstock.sim;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.queue.Order;
import org.jspecify.annotations.Nullable;

/** Which of two tickets of one endpoint goes first if both can. */
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

  /** Whether those settings mean this very order: what was counted for it still counts. */
  boolean same(EndpointSpec.Scheduling scheduling) {
    boolean aged = order == Order.PRIORITY;
    return order == scheduling.order() && (!aged || agingNanos == scheduling.agingNanos());
  }

  /** Whether it is known who comes before whom. */
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

  /** Priority + waited ÷ aging, times aging, so that it is a whole number. */
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
