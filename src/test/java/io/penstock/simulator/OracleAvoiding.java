package io.penstock.simulator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a ticket that came back stops avoiding the upstream at which it failed: as soon as
 * no other that serves it can be relied on. From then on it may go to any.
 */
final class OracleAvoiding {
  private final SimWorld world;
  private final OracleWays ways;
  private final EventCounts eventCounts;

  OracleAvoiding(SimWorld world, OracleWays ways, EventCounts eventCounts) {
    this.world = world;
    this.ways = ways;
    this.eventCounts = eventCounts;
  }

  /** Notes that an upstream was just shut, or is on trial from now on. */
  void shut() {
    for (SimEndpoint each : ways.live()) {
      if (!each.paused) {
        resumed(each);
      }
    }
  }

  /** Notes that a paused endpoint is about to resume. */
  void resumed(SimEndpoint endpoint) {
    endpoint.waiting.forEach(this::look);
  }

  /** Checks a ticket with known routes. */
  void look(SimTicket ticket) {
    if (ticket.facing.not() == null || (ticket.possible && anyAvailable(ticket.ways))) {
      return;
    }
    boolean waited = ticket.seen && ticket.possible;
    ticket.facing = ticket.facing.avoidingNone();
    ways.route(ticket);
    ticket.skips = 0;
    if (waited) {
      eventCounts.saw("stopped avoiding");
      if (ticket.endpoint.ranking.fair != null) {
        ticket.endpoint.ranking.fair.unsure(); // its flow may have been idle in between
      }
    }
  }

  private boolean anyAvailable(List<@Nullable SimPool> pools) {
    for (SimPool pool : pools) {
      if (pool == null || pool.gate.available(world.now())) {
        return true;
      }
    }
    return false;
  }
}
