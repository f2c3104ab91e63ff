package io.penstock.simulator;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import org.jspecify.annotations.Nullable;

/** Attempts that fail, after which a request comes back to its place for another attempt. */
final class FailedAttempts {
  private static final int MOST = 4;

  private final Simulation simulation;
  private final SimWorld world;
  private final SimScenario simScenario;
  private final OutsideWorld outsideWorld;

  FailedAttempts(Simulation simulation, OutsideWorld outsideWorld) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.simScenario = world.scenario();
    this.outsideWorld = outsideWorld;
  }

  private boolean fails(SimTicket ticket, double chance) {
    return simScenario.again && ticket.attempts < MOST && simScenario.chance(chance);
  }

  /** Fails, by chance, an attempt that was just granted. Returns whether it fails, now or soon. */
  boolean failsAtOnce(SimTicket ticket, TicketSettlement settlement) {
    if (!fails(ticket, 0.15)) {
      return false;
    }
    AttemptFailure failure =
        simScenario.chance(0.5) ? AttemptFailure.UNSENT : AttemptFailure.REJECTED;
    if (simScenario.chance(0.5) && !delicate(ticket.endpoint)) {
      again(ticket, settlement, failure);
    } else {
      long after = simScenario.chance(0.5) ? 0 : simScenario.seconds(3);
      simulation.at(world.now() + after, () -> again(ticket, settlement, failure));
    }
    return true;
  }

  /** Fails, by chance, a running attempt; returns whether it did. */
  boolean failsMeanwhile(SimTicket ticket, TicketSettlement settlement) {
    boolean fails = fails(ticket, 0.1);
    if (fails) {
      again(ticket, settlement, AttemptFailure.BROKEN);
    }
    return fails;
  }

  /** Fails, by chance, an attempt in place of its end; returns whether it did. */
  boolean failsAtItsEnd(SimTicket ticket, TicketSettlement settlement) {
    boolean fails = fails(ticket, 0.15);
    if (fails) {
      AttemptFailure[] all = AttemptFailure.values();
      AttemptFailure any = all[simScenario.random.nextInt(all.length)];
      again(ticket, settlement, ticket.counted > 0 || ticket.stated ? AttemptFailure.BROKEN : any);
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

  private void again(SimTicket ticket, TicketSettlement settlement, AttemptFailure failure) {
    simulation.disturbed();
    boolean delicate = delicate(ticket.endpoint);
    if (delicate) {
      simulation.drain();
      ticket.endpoint.queue.over();
    }
    if (!ticket.runs(settlement)) {
      outsideWorld.later(ticket, settlement);
      return;
    }
    if (failure != AttemptFailure.BROKEN) {
      outsideWorld.provider().uncounted(ticket);
    }
    boolean toOtherUpstream = simScenario.chance(0.5);
    simulation.note(failure + (toOtherUpstream ? " elsewhere " : " ") + "comes to", ticket.order);
    Upstream upstream = settlement.upstream();
    simulation
        .oracle()
        .again(ticket, failure, toOtherUpstream && upstream != null ? upstream : null);
    next(ticket, settlement, failure, toOtherUpstream);
    outsideWorld.later(ticket, settlement);
    if (delicate) {
      simulation.drain();
    }
  }

  private void next(
      SimTicket ticket,
      TicketSettlement settlement,
      AttemptFailure failure,
      boolean toOtherUpstream) {
    InjectedFault injectedFault = world.fault();
    if (injectedFault == InjectedFault.NEVER_BACK && simScenario.chance(0.2)) {
      return;
    }
    AttemptFailure told =
        injectedFault == InjectedFault.REJECTED_FOR_NOTHING && failure == AttemptFailure.REJECTED
            ? AttemptFailure.UNSENT
            : failure;
    boolean toldElsewhere = injectedFault != InjectedFault.SAME_UPSTREAM && toOtherUpstream;
    @Nullable ParkedTicket next = settlement.retry(told, toldElsewhere, world.now());
    if (next == null) {
      throw new InvariantViolation("does not come back: " + ticket);
    }
    ticket.parkedTicket = next;
    next.whenDecided(outcome -> outsideWorld.decided(ticket, outcome));
  }
}
