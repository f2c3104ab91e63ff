package io.penstock.simulator;

import io.penstock.dispatch.TicketRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tickets of one endpoint that wait until one of them has warmed a cache. */
final class SimWarmups {
  private record Same(TicketRequest.SharedPrefix prefix, @Nullable String model) {}

  private final Map<Same, SimHold> holds = new HashMap<>();

  /** Notes a new ticket; returns one that waited on its own and is with it from now on, or null. */
  @Nullable SimTicket arrived(SimTicket ticket, long now) {
    TicketRequest.SharedPrefix prefix = ticket.ask.cacheUse().sharedPrefix();
    if (prefix == null) {
      return null;
    }
    Same same = new Same(prefix, ticket.model);
    SimHold known = holds.get(same);
    if (known == null || known.ended(now)) {
      ticket.hold = new SimHold(ticket, prefix.holdNanos());
      holds.put(same, ticket.hold);
      return null;
    }
    known.joined(ticket);
    ticket.hold = known;
    ticket.behind(known);
    SimTicket alone = known.takeAlone();
    if (alone == null || alone.stage != SimTicket.Stage.WAITING || alone.attempts > 0) {
      return null;
    }
    alone.behind(known);
    return alone;
  }
}
