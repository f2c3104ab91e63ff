package io.penstock.sim;

import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Settlement;
import io.penstock.pool.Failure;
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
  boolean failsAtOnce(SimTicket ticket, Settlement settlement) {
    if (!fails(ticket, 0.15)) {
      return false;
    }
    Failure failure = scenario.chance(0.5) ? Failure.UNSENT : Failure.REJECTED;
    if (scenario.chance(0.5) && !delicate(ticket.endpoint)) {
      again(ticket, settlement, failure);
    } else {
      long after = scenario.chance(0.5) ? 0 : scenario.seconds(3);
      world.at(world.now() + after, () -> again(ticket, settlement, failure));
    }
    return true;
  }

  /** Fails, by chance, a running attempt; returns whether it did. */
  boolean failsMeanwhile(SimTicket ticket, Settlement settlement) {
    boolean fails = fails(ticket, 0.1);
    if (fails) {
      again(ticket, settlement, Failure.BROKEN);
    }
    return fails;
  }

  /** Fails, by chance, an attempt in place of its end; returns whether it did. */
  boolean failsAtItsEnd(SimTicket ticket, Settlement settlement) {
    boolean fails = fails(ticket, 0.15);
    if (fails) {
      Failure[] all = Failure.values();
      Failure any = all[scenario.random.nextInt(all.length)];
      again(ticket, settlement, ticket.counted > 0 ? Failure.BROKEN : any);
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

  private void again(SimTicket ticket, Settlement settlement, Failure failure) {
    boolean delicate = delicate(ticket.endpoint);
    if (delicate) {
      world.drain();
      ticket.endpoint.queue.over();
    }
    if (!ticket.runs(settlement)) {
      crowd.later(ticket, settlement);
      return;
    }
    boolean elsewhere = scenario.chance(0.5);
    world.note(failure + (elsewhere ? " elsewhere " : " ") + "comes to", ticket.order);
    Upstream upstream = settlement.upstream();
    world.oracle().again(ticket, failure, elsewhere && upstream != null ? upstream : null);
    next(ticket, settlement, failure, elsewhere);
    crowd.later(ticket, settlement);
    if (delicate) {
      world.drain();
    }
  }

  private void next(SimTicket ticket, Settlement settlement, Failure failure, boolean elsewhere) {
    Fault fault = world.fault();
    if (fault == Fault.NEVER_BACK && scenario.chance(0.2)) {
      return;
    }
    Failure told =
        fault == Fault.REJECTED_FOR_NOTHING && failure == Failure.REJECTED
            ? Failure.UNSENT
            : failure;
    boolean toldElsewhere = fault != Fault.SAME_UPSTREAM && elsewhere;
    @Nullable Pending next = settlement.again(told, toldElsewhere, world.now());
    if (next == null) {
      throw new Violation("does not come back: " + ticket);
    }
    ticket.pending = next;
    next.whenDecided(outcome -> crowd.decided(ticket, outcome));
  }
}
