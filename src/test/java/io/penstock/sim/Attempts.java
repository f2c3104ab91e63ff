package io.penstock.sim;

import io.penstock.endpoint.ParkedTicket;
import io.penstock.endpoint.TicketSettlement;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import org.jspecify.annotations.Nullable;

/** Attempts that fail, after which a request comes back to its place for another attempt. */
final class Attempts {
  private static final int MOST = 4;

  private final Simulation world;
  private final Scenario scenario;
  private final Crowd crowd;

  Attempts(Simulation world, Crowd crowd) {
    this.world = world;
    this.scenario = world.scenario();
    this.crowd = crowd;
  }

  private boolean fails(SimTicket ticket, double chance) {
    return scenario.again && ticket.attempts < MOST && scenario.chance(chance);
  }

  /** Fails, by chance, an attempt that was just granted. Returns whether it fails, now or soon. */
  boolean failsAtOnce(SimTicket ticket, TicketSettlement ticketSettlement) {
    if (!fails(ticket, 0.15)) {
      return false;
    }
    AttemptFailure attemptFailure =
        scenario.chance(0.5) ? AttemptFailure.UNSENT : AttemptFailure.REJECTED;
    if (scenario.chance(0.5) && !delicate(ticket.endpoint)) {
      again(ticket, ticketSettlement, attemptFailure);
    } else {
      long after = scenario.chance(0.5) ? 0 : scenario.seconds(3);
      world.at(world.now() + after, () -> again(ticket, ticketSettlement, attemptFailure));
    }
    return true;
  }

  /** Fails, by chance, a running attempt; returns whether it did. */
  boolean failsMeanwhile(SimTicket ticket, TicketSettlement ticketSettlement) {
    boolean fails = fails(ticket, 0.1);
    if (fails) {
      again(ticket, ticketSettlement, AttemptFailure.BROKEN);
    }
    return fails;
  }

  /** Fails, by chance, an attempt in place of its end; returns whether it did. */
  boolean failsAtItsEnd(SimTicket ticket, TicketSettlement ticketSettlement) {
    boolean fails = fails(ticket, 0.15);
    if (fails) {
      AttemptFailure[] all = AttemptFailure.values();
      AttemptFailure any = all[scenario.random.nextInt(all.length)];
      again(ticket, ticketSettlement, ticket.counted > 0 ? AttemptFailure.BROKEN : any);
    }
    return fails;
  }

  /**
   * Returns whether due steps must run before and after a return. Otherwise the oracle could not
   * know when its flow comes back, or which blocked tickets got a place before it.
   */
  private static boolean delicate(SimEndpoint endpoint) {
    return endpoint.ranking.fair != null || endpoint.queue.blocked() > 0;
  }

  private void again(
      SimTicket ticket, TicketSettlement ticketSettlement, AttemptFailure attemptFailure) {
    boolean delicate = delicate(ticket.endpoint);
    if (delicate) {
      world.drain();
      ticket.endpoint.queue.over();
    }
    if (!ticket.runs(ticketSettlement)) {
      crowd.later(ticket, ticketSettlement);
      return;
    }
    boolean elsewhere = scenario.chance(0.5);
    world.note(attemptFailure + (elsewhere ? " elsewhere " : " ") + "comes to", ticket.order);
    Upstream upstream = ticketSettlement.upstream();
    world.oracle().again(ticket, attemptFailure, elsewhere && upstream != null ? upstream : null);
    next(ticket, ticketSettlement, attemptFailure, elsewhere);
    crowd.later(ticket, ticketSettlement);
    if (delicate) {
      world.drain();
    }
  }

  private void next(
      SimTicket ticket,
      TicketSettlement ticketSettlement,
      AttemptFailure attemptFailure,
      boolean elsewhere) {
    Fault fault = world.fault();
    if (fault == Fault.NEVER_BACK && scenario.chance(0.2)) {
      return;
    }
    AttemptFailure told =
        fault == Fault.REJECTED_FOR_NOTHING && attemptFailure == AttemptFailure.REJECTED
            ? AttemptFailure.UNSENT
            : attemptFailure;
    boolean toldElsewhere = fault != Fault.SAME_UPSTREAM && elsewhere;
    @Nullable ParkedTicket next = ticketSettlement.again(told, toldElsewhere, world.now());
    if (next == null) {
      throw new Violation("does not come back: " + ticket);
    }
    ticket.pending = next;
    next.whenDecided(ticketOutcome -> crowd.decided(ticket, ticketOutcome));
  }
}
