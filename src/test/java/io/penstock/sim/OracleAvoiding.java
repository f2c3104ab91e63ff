package io.penstock.sim;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a ticket that came back stops avoiding the upstream at which it failed: once no other that
 * serves it can be relied on. Then it may go to any, for good.
 */
final class OracleAvoiding {
  private final Simulation world;
  private final OracleWays ways;

  OracleAvoiding(Simulation world, OracleWays ways) {
    this.world = world;
    this.ways = ways;
  }

  /** An upstream was just shut, or is on trial from now on. */
  void shut() {
    for (SimEndpoint each : ways.live()) {
      if (!each.paused) {
        resumed(each);
      }
    }
  }

  /** An endpoint that was paused is about to go on. */
  void resumed(SimEndpoint endpoint) {
    endpoint.waiting.forEach(this::look);
  }

  /** Looks at one whose ways are known. */
  void look(SimTicket ticket) {
    if (ticket.facing.not() == null || (ticket.possible && anyAvailable(ticket.ways))) {
      return;
    }
    boolean waited = ticket.seen && ticket.possible;
    ticket.facing = ticket.facing.avoidingNone();
    ways.route(ticket);
    ticket.skips = 0;
    if (waited) {
      world.oracle().seen().saw("stopped avoiding");
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
