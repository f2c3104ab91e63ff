package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.event.Event;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import io.penstock.refusal.RefusalReason;
import io.penstock.simulator.SimTicket.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An independent model of the core, which reports when the core should have acted otherwise. */
final class Oracle {
  private final SimWorld world;

  /** Tickets by arrival number. */
  private final List<SimTicket> tickets = new ArrayList<>();

  private final OracleWays ways;
  private final OracleOrder order;
  private final OracleChecks checks;
  private final EventCounts eventCounts = new EventCounts();
  private int waiting;
  private int running;
  private boolean warmupBegan;

  Oracle(SimWorld world) {
    this.world = world;
    this.ways = new OracleWays(world, eventCounts);
    this.order = new OracleOrder(ways, world.scenario().exact);
    this.checks =
        new OracleChecks(ways, world.fault() == InjectedFault.NONE, world.scenario().undisturbed);
  }

  List<SimEndpoint> live() {
    return ways.live();
  }

  EventCounts seen() {
    return eventCounts;
  }

  /** Notes that a request for a path entered that endpoint. */
  SimEndpoint entered(String path, Endpoint endpoint) {
    SimEndpoint known = ways.entered(path, endpoint);
    eventCounts.saw(known.spec.isDynamic() ? "dynamic" : "ancestor");
    return known;
  }

  void left(SimEndpoint endpoint) {
    ways.left(endpoint);
  }

  int running() {
    return running;
  }

  int waiting() {
    return waiting;
  }

  /** Notes that a configuration was applied; no endpoint has acted on it yet. */
  void applied(List<EndpointSpec> specs) {
    ways.applied(specs);
  }

  void reloading(boolean now) {
    order.reloading(now);
  }

  void submitted(SimTicket ticket) {
    check(tickets.size() == ticket.order, "is not the one to come next", ticket);
    tickets.add(ticket);
    ticket.endpoint.waiting.add(ticket);
    waiting++;
    ticket.endpoint.count(Stage.WAITING, ticket, 1);
    OracleDenials.come(ticket, world.now());
    if (ticket.denial != null) {
      return;
    }
    warmup(ticket);
    if (!ticket.endpoint.removed && ways.possible(ticket)) {
      ticket.endpoint.join(ticket);
    }
  }

  /** Puts a ticket to those with the same new beginning, unless its group is about to refuse it. */
  private void warmup(SimTicket ticket) {
    if (ticket.arrival.stream().anyMatch(each -> !each.personal() && each.line.kept())) {
      return;
    }
    SimTicket moved = ticket.endpoint.warmups.arrived(ticket, world.now());
    OracleFair fair = ticket.endpoint.ranking.fair;
    if (moved != null) {
      eventCounts.saw("moved behind a warm-up");
      if (fair != null) {
        fair.unsure(); // its flow may have been idle in between
      }
    }
  }

  void heard(Event event) {
    if (event instanceof Event.TicketEvent about) {
      if (about.ticket() >= tickets.size()) {
        throw new InvariantViolation("nobody submitted " + event);
      }
      SimTicket ticket = tickets.get((int) about.ticket());
      boolean known = ticket.denial == null || about instanceof Event.Refused;
      check(known, "lacks " + ticket.denial + ", and comes in", ticket);
      switch (about) {
        case Event.Queued queued -> {
          ticket.endpoint.arrived(ticket, world.now());
          checks.waits(ticket, world.now());
          if (ticket.blocked) {
            eventCounts.saw("blocked");
          }
          if (ticket.hold != null && ticket.heldByWarmup(world.now())) {
            eventCounts.saw("held by a warm-up");
          }
        }
        case Event.Released released -> released(ticket, released);
        case Event.Served served -> move(ticket, Stage.RUNNING, Stage.SERVED);
        case Event.Refused refused -> {
          if (ticket.stage == Stage.WAITING) {
            checks.refusal(ticket, refused.refusal(), world.now());
            eventCounts.saw("refused " + refused.refusal().reason());
            if (refused.refusal().reason() == RefusalReason.NO_HEALTHY_UPSTREAM
                && !ways.of(ticket).isEmpty()) {
              eventCounts.saw("unwell");
            }
            carriedEnds(ticket, "refused");
          }
          move(ticket, ticket.stage, Stage.REFUSED);
        }
        case Event.Expired expired -> {
          boolean since = world.scenario().jumps || ticket.backAt == world.now();
          boolean late = since && ticket.deadline < world.now();
          check(late || ticket.deadline == world.now(), "expired, not at its deadline", ticket);
          checks.expiry(ticket, world.now());
          eventCounts.saw(ticket.blocked ? "blocked expired" : "expired");
          carriedEnds(ticket, "expired");
          move(ticket, Stage.WAITING, Stage.EXPIRED);
        }
        case Event.Cancelled cancelled -> {
          if (ticket.stage == Stage.WAITING) {
            ticket.leftAt = world.now();
            eventCounts.saw(ticket.blocked ? "blocked left" : "left");
            ticket.endpoint.left.removeIf(each -> each.leftAt != ticket.leftAt);
            ticket.endpoint.left.add(ticket);
            carriedEnds(ticket, "left");
          }
          move(ticket, ticket.stage, Stage.CANCELLED);
        }
        case Event.Shadowed shadowed ->
            throw new InvariantViolation("nobody has a shadow: " + shadowed);
        case Event.Returned returned -> gaveBack(ticket);
        case Event.Settled settled -> {
          check(ticket.stage == Stage.RUNNING, "settled, but does not run", ticket);
        }
      }
      ways.noteClaims(false);
    }
  }

  private void gaveBack(SimTicket ticket) {
    boolean comesBack = ticket.stage == Stage.WAITING && ticket.backAt == world.now();
    check(ticket.stage == Stage.RUNNING || comesBack, "gives back, but never ran", ticket);
  }

  /** Returns whether no live endpoint is paused, so that none needs to be resumed. */
  boolean nonePaused() {
    for (SimEndpoint each : ways.live()) {
      if (each.paused) {
        return false;
      }
    }
    return true;
  }

  private static void check(boolean holds, String what, SimTicket ticket) {
    if (!holds) {
      throw new InvariantViolation(what + ": " + ticket);
    }
  }

  private void move(SimTicket ticket, Stage from, Stage to) {
    if (ticket.stage != from || (from != Stage.WAITING && from != Stage.RUNNING)) {
      throw new InvariantViolation("cannot go from " + from + " to " + to + ": " + ticket);
    }
    if (from == Stage.WAITING) {
      ticket.endpoint.remove(ticket);
      waiting--;
    } else {
      running--;
    }
    running += to == Stage.RUNNING ? 1 : 0;
    if (to != Stage.RUNNING) {
      ticket.endpoint.emptySince = world.now();
    }
    ticket.stage = to;
    ticket.endpoint.count(from, ticket, -1);
    ticket.endpoint.count(to, ticket, 1);
  }

  private void released(SimTicket ticket, Event.Released event) {
    long now = world.now();
    SimEndpoint endpoint = ticket.endpoint;
    check(event.atNanos() == now, "released at another time than it says", ticket);
    check(!endpoint.paused && !endpoint.removed, "released though nothing may go", ticket);
    check(event.cost().equals(ticket.cost), "released with another cost", ticket);
    check(ticket.deadline >= now, "released after its deadline", ticket);
    SimPool pool = null;
    if (event.upstream() != null) {
      pool = ways.pool(endpoint, event.upstream(), ticket.model);
    }
    check((pool == null) == endpoint.spec.permit(), "went where it cannot", ticket);
    endpoint.queue.mustBeIn(ticket);
    eventCounts.saw(endpoint.spec.algorithm() + " " + endpoint.spec.scheduling().order());
    if (ticket.letIn) {
      eventCounts.saw("let in");
    }
    if (ticket.facing.account() != null) {
      eventCounts.saw("waited at its key");
    }
    if (ticket.facing.paid()) {
      eventCounts.saw(ticket.facing.not() == null ? "back went" : "back went elsewhere");
    }
    check(ways.of(ticket).contains(pool), "went where it may not", ticket);
    ways.mayTake(ticket, pool, now);
    OracleChecks.went(ticket, now);
    order.released(ticket, pool, now);
    move(ticket, Stage.WAITING, Stage.RUNNING);
    order.charged(ticket, ways.of(ticket));
    take(ticket, pool, now);
    SimHold hold = ticket.facing.paid() ? null : ticket.hold;
    if (hold != null) {
      if (hold.isOver(now)) {
        eventCounts.saw("warm-up was over");
      }
      warmupBegan |= hold.granted(ticket, now);
    }
  }

  private void take(SimTicket ticket, @Nullable SimPool pool, long now) {
    List<OracleSpend> spends = new ArrayList<>();
    if (pool != null) {
      for (OracleSpend.Metering metering : pool.meters) {
        spends.add(new OracleSpend(metering, pool.spec.budget(), pool.rate(), ticket.demand, now));
      }
    }
    if (pool != null) {
      pool.gate.passed(now);
    }
    ticket.pool = pool;
    ticket.spends = spends;
    List<OracleSpend> kept = new ArrayList<>(ticket.kept);
    ticket.more().forEach(quota -> quota.take(ticket.demand, ChargeRule.TOTAL, now, kept));
    boolean twice = world.fault() == InjectedFault.OWN_TWICE && ticket.facing.paid();
    OracleSpend.Metering own = twice ? ticket.endpoint.own : ticket.owes();
    if (own != null) {
      kept.add(new OracleSpend(own, ChargeRule.TOTAL, 1, ticket.demand, now));
    }
    ticket.kept = kept;
  }

  /** Notes that an attempt failed, and the ticket comes back to its place. */
  void again(SimTicket ticket, AttemptFailure failure, @Nullable Upstream avoided) {
    long now = world.now();
    check(ticket.stage == Stage.RUNNING, "comes back, but does not run", ticket);
    ways.noteClaims(false); // it may be that nothing was heard since
    eventCounts.saw("again " + failure);
    for (OracleSpend spend : ticket.spends) {
      spend.failed(failure, now);
    }
    if (failure == AttemptFailure.BROKEN) {
      ticket.past = AttemptFailure.BROKEN;
    } else if (failure != AttemptFailure.UNSENT && ticket.past == AttemptFailure.UNSENT) {
      ticket.past = AttemptFailure.REFUSED; // whatever the reason, it costs the client a request
    }
    order.used(ticket, 0);
    began(ticket);
    SimEndpoint endpoint = ticket.endpoint;
    endpoint.count(Stage.RUNNING, ticket, -1);
    endpoint.count(Stage.WAITING, ticket, 1);
    running--;
    waiting++;
    ticket.backAt = now;
    ticket.comesBack(ticket.facing.back(avoided == null ? null : avoided.spec().id()));
    endpoint.waiting.add(endpoint.before(ticket.order), ticket);
    if (endpoint.paused) {
      eventCounts.saw("back while paused");
    }
    if (!endpoint.removed && ways.possible(ticket) && checks.unwell(ticket, now) <= 0) {
      endpoint.join(ticket);
    }
  }

  /** Gives back unused charges, of its arrival or an earlier attempt, of a ticket not granted. */
  private void carriedEnds(SimTicket ticket, String how) {
    if (ticket.facing.paid()) {
      eventCounts.saw("back " + how);
      if (world.fault() != InjectedFault.CARRIED_FOR_EVER) {
        keptReturned(ticket);
      }
    } else if (!ticket.kept.isEmpty()) {
      eventCounts.saw("charged " + how);
      if (world.fault() != InjectedFault.CHARGED_FOR_EVER) {
        keptReturned(ticket);
      }
    }
  }

  private void keptReturned(SimTicket ticket) {
    for (OracleSpend spend : ticket.kept) {
      spend.failed(ticket.past, world.now());
    }
  }

  void produced(SimTicket ticket, long output) {
    for (OracleSpend spend : ticket.spends) {
      spend.produced(output, world.now());
    }
    for (OracleSpend spend : ticket.kept) {
      spend.produced(output, world.now());
    }
  }

  /**
   * Returns whether tickets are held since the last call, until an answer begins: no promise could
   * know how long.
   */
  boolean warmupBegan() {
    boolean was = warmupBegan;
    warmupBegan = false;
    return was;
  }

  /** Notes that an answer began or will not come: nobody is held because of it. */
  void began(SimTicket ticket) {
    if (ticket.hold != null) {
      ticket.hold.ended(ticket);
    }
  }

  /**
   * Expects waiting tickets anew, because an answer told how much of some prompts a cache has:
   * those of its key, or those that waited for the same beginning. Returns whether other things are
   * expected of any of them.
   */
  boolean cacheLearned(SimTicket answered, boolean changed) {
    SimHold hold = answered.hold;
    SimHold warmed = hold != null && hold.learned() ? hold : null;
    boolean any = false;
    for (SimTicket each : answered.endpoint.waiting) {
      boolean sameKey =
          Objects.equals(each.ask.sender().origin().key(), answered.ask.sender().origin().key());
      boolean concerned =
          (changed && sameKey) || (warmed != null && warmed.equals(each.facing.hold()));
      if (concerned && each.expectAnew(world.now())) {
        eventCounts.saw(each.blocked ? "blocked expected anew" : "expected anew");
        ways.route(each);
        any = true;
        if (each.endpoint.ranking.fair != null) {
          each.endpoint.ranking.fair.unsure(); // its flow may have been idle in between
        }
      }
    }
    return any;
  }

  /** Notes that an answer states its input while it runs. */
  void stated(SimTicket ticket, TokenUsage usage) {
    ticket.stated = true;
    eventCounts.saw("stated early");
    ticket.spends.forEach(spend -> spend.stated(usage, world.now()));
    ticket.kept.forEach(spend -> spend.stated(usage, world.now()));
  }

  void settled(SimTicket ticket, @Nullable TokenUsage usage, long counted) {
    began(ticket);
    for (OracleSpend spend : ticket.spends) {
      spend.settled(usage, counted, world.now());
    }
    for (OracleSpend spend : ticket.kept) {
      spend.settled(usage, counted, world.now());
    }
    long input = usage == null ? ticket.cost.inputTokens() : usage.inputTokens();
    long output = usage == null ? counted : usage.outputTokens();
    SimPool pool = ticket.pool;
    long free = usage == null || pool == null || !pool.expectsReads() ? 0 : usage.cacheReadTokens();
    order.used(ticket, input + output - free);
  }

  void returned(SimTicket ticket) {
    began(ticket);
    for (OracleSpend spend : ticket.spends) {
      spend.returned(world.now());
    }
    keptReturned(ticket);
    order.used(ticket, 0);
  }

  List<String> upstreams() {
    return ways.upstreams();
  }

  /** Returns the gate of an upstream, about to change. */
  SimGate gate(String upstream, String what) {
    ways.noteClaims(false);
    eventCounts.saw(what);
    return ways.gate(upstream);
  }

  /** Returns the model of tickets that stop avoiding an upstream. */
  OracleAvoiding avoiding() {
    return ways.avoiding();
  }

  /** Notes that an endpoint's step is done; its claims may end before anything else is heard. */
  void stepped() {
    ways.noteClaims(false);
  }

  void widened() {
    ways.widened();
  }

  /** Checks the state when all is done at {@code now} and nothing happens until {@code until}. */
  void still(long now, long until) {
    ways.noteClaims(true);
    quiet();
    ways.still(until);
    checks.still(now, until);
    checks.still(world.keys().quotas(), now);
  }

  /** Brings the model up to date when everything due at this instant is done. */
  void quiet() {
    ways.follow();
    for (SimEndpoint endpoint : ways.all()) {
      endpoint.queue.over();
    }
  }

  /** Checks the state when no more requests arrive and all answers have ended. */
  void over(long now) {
    if (ways.over() > 0) {
      eventCounts.saw("given up");
    }
    checks.over(now);
    world.keys().quotas().forEach(each -> OracleChecks.empty(each.line.quota, now));
  }

  /** Returns the state of the world, for a report. */
  String describe() {
    StringBuilder text = new StringBuilder();
    for (SimEndpoint endpoint : ways.all()) {
      text.append(endpoint.spec).append(endpoint.paused ? " paused" : "").append('\n');
      if (endpoint.ranking.fair != null) {
        text.append("  ").append(endpoint.ranking.fair).append('\n');
      }
      endpoint.waiting.forEach(each -> text.append("  ").append(each).append('\n'));
    }
    return text.append(ways.describe(world.now())).toString();
  }
}
