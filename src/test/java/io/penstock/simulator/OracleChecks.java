package io.penstock.simulator;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointTotals;
import io.penstock.limit.Limit;
import io.penstock.queue.QueueOrder;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.simulator.SimTicket.Stage;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks of everything that must hold when nothing more can happen at an instant. */
final class OracleChecks {
  private static final Stage[] STAGES = Stage.values();
  private static final TicketFate[] FATES =
      Arrays.stream(STAGES)
          .map(stage -> TicketFate.valueOf(stage.name()))
          .toArray(TicketFate[]::new);

  private final OracleWays ways;
  private final boolean looksInside;
  private final boolean undisturbed;

  /**
   * Creates the checks.
   *
   * @param looksInside whether to compare the state of limits, not only their effects
   * @param undisturbed whether all waiting tickets go in the end, and nothing changes until then
   */
  OracleChecks(OracleWays ways, boolean looksInside, boolean undisturbed) {
    this.ways = ways;
    this.undisturbed = undisturbed;
    this.looksInside = looksInside;
  }

  /** Checks the quotas of keys, groups and models. */
  void still(List<SimQuota> quotas, long now) {
    for (SimQuota quota : quotas) {
      for (SimQuota.Pair pair : quota.pairs()) {
        agrees(quota.line.quota.name(), pair.core().limit(), pair.metering().limit(), now);
      }
    }
  }

  void still(long now, long until) {
    for (SimEndpoint endpoint : ways.all()) {
      balanced(endpoint);
      oldest(endpoint, now);
      if (!endpoint.removed) {
        agrees(endpoint.line.quota, endpoint.own, now);
        nobodyCouldGo(endpoint, until);
      } else if (!endpoint.waiting.isEmpty()) {
        throw new InvariantViolation("waits at an endpoint that was removed: " + endpoint.waiting);
      }
    }
    for (SimPool pool : ways.pools()) {
      for (MeteredLimit metered : pool.line.quota.limits()) {
        OracleSpend.Metering model = pool.limits.get(metered.measure());
        if (model == null) {
          throw new InvariantViolation(pool.name + " has a limit of " + metered.measure());
        }
        agrees(pool.name, metered.limit(), model.limit(), now);
      }
    }
  }

  private static void oldest(SimEndpoint endpoint, long now) {
    long oldest = endpoint.waiting.isEmpty() ? 0 : now - endpoint.waiting.getFirst().arrived;
    if (endpoint.endpoint.oldestWaitNanos() != oldest) {
      throw new InvariantViolation(
          "%s says that the oldest waits %d ns, expected %d"
              .formatted(endpoint.spec.path(), endpoint.endpoint.oldestWaitNanos(), oldest));
    }
  }

  private void agrees(Quota quota, OracleSpend.@Nullable Metering model, long now) {
    int limits = quota.limits().size();
    if (limits != (model == null ? 0 : 1)) {
      throw new InvariantViolation(quota + " has " + limits + " limits");
    }
    if (model != null) {
      agrees(quota.name(), quota.limits().getFirst().limit(), model.limit(), now);
    }
  }

  private void agrees(String name, Limit limit, OracleLimit model, long now) {
    if (!looksInside) {
      return;
    }
    long counted = model.free(now);
    long free = counted >= model.capacity() ? Long.MAX_VALUE : counted;
    if (limit.room(now) != free) {
      throw new InvariantViolation(
          "%s has room %d, expected %d of %s".formatted(name, limit.room(now), free, model.spec()));
    }
    if (limit.balance(now).reserved() != model.held()) {
      throw new InvariantViolation(
          name + " holds " + limit.balance(now) + ", expected " + model.held());
    }
    if (limit.discounts().sum() != model.discounts()) {
      throw new InvariantViolation(
          "%s leaves %d uncharged because of caches, expected %d"
              .formatted(name, limit.discounts().sum(), model.discounts()));
    }
    if (limit.discounts().inDoubt() != model.inDoubt()) {
      throw new InvariantViolation(
          "%s keeps %d free because caches are in doubt, expected %d"
              .formatted(name, limit.discounts().inDoubt(), model.inDoubt()));
    }
    // Both may be long past: only future instants matter.
    long paced = Math.max(now, limit.paceAllowsAt(1, now));
    if (Math.abs(paced - Math.max(now, model.paced(1))) > 1_000) {
      throw new InvariantViolation(
          "%s is paced until %d, expected %d".formatted(name, paced, model.paced(1)));
    }
  }

  private static void balanced(SimEndpoint endpoint) {
    EndpointTotals endpointTotals = endpoint.endpoint.totals();
    long requests = 0;
    long tokens = 0;
    long bytes = 0;
    for (int at = 0; at < STAGES.length; at++) {
      long[] expected = endpoint.sum(STAGES[at]);
      TicketFate fate = FATES[at];
      boolean right =
          endpointTotals.requests(fate) == expected[0]
              && endpointTotals.tokens(fate) == expected[1]
              && endpointTotals.bytes(fate) == expected[2];
      if (!right) {
        throw new InvariantViolation(
            "%s counts %d requests, %d tokens, %d bytes %s, expected %s"
                .formatted(
                    endpoint.spec.path(),
                    endpointTotals.requests(fate),
                    endpointTotals.tokens(fate),
                    endpointTotals.bytes(fate),
                    fate,
                    Arrays.toString(expected)));
      }
      requests += expected[0];
      tokens += expected[1];
      bytes += expected[2];
    }
    boolean lost =
        requests != endpointTotals.requests(TicketFate.OFFERED)
            || tokens != endpointTotals.tokens(TicketFate.OFFERED)
            || bytes != endpointTotals.bytes(TicketFate.OFFERED);
    if (lost) {
      throw new InvariantViolation(
          endpoint.spec.path() + " has lost something of what was offered");
    }
  }

  private void nobodyCouldGo(SimEndpoint endpoint, long until) {
    for (SimTicket ticket : endpoint.waiting) {
      if (!ticket.seen) {
        throw new InvariantViolation("nobody has looked at " + ticket);
      }
      if (ticket.deadline <= until) {
        throw new InvariantViolation("its deadline passes: " + ticket);
      }
      if (!ways.possible(ticket)) {
        throw new InvariantViolation("can never go, and waits: " + ticket);
      }
      if (endpoint.paused || ticket.blocked) {
        continue;
      }
      for (SimPool pool : ways.of(ticket)) {
        if (OracleWays.canGo(ticket, pool, until)) {
          throw new InvariantViolation("could go by " + until + ", and waits: " + ticket);
        }
      }
    }
  }

  /** Checks the refusal of a ticket that did not run. */
  void refusal(SimTicket ticket, Refusal refusal, long now) {
    SimEndpoint endpoint = ticket.endpoint;
    if (OracleDenials.denied(ticket, refusal, now)) {
      return;
    }
    boolean right =
        switch (refusal.reason()) {
          case COST_EXCEEDS_CAPACITY -> !ways.of(ticket).isEmpty() && !ways.possible(ticket);
          case NO_UPSTREAM_FOR_MODEL -> ways.of(ticket).isEmpty();
          case NO_HEALTHY_UPSTREAM ->
              ways.of(ticket).isEmpty()
                  || ((!ticket.facing.paid() || ticket.backAt == now)
                      && refusal.retryAfterNanos() == unwell(ticket, now));
          case QUEUE_FULL -> !ticket.facing.paid() && full(endpoint, ticket, now);
          case ESTIMATED_WAIT_EXCEEDS_TIMEOUT ->
              ticket.refusesAbove > 0
                  && !ticket.facing.paid()
                  && foreseeable(endpoint)
                  && tooLong(ticket, now);
          case ENDPOINT_REMOVED -> endpoint.removed;
          case REMOVED_BY_OPERATOR -> ticket.thrownOut;
          default -> OracleDenials.tooLate(ticket, refusal);
        };
    if (!right) {
      throw new InvariantViolation("refused with " + refusal + " at " + now + ": " + ticket);
    }
    boolean behind = endpoint.queue.blocked() > 0; // nobody overtakes blocked tickets
    boolean asked =
        refusal.reason() == RefusalReason.ENDPOINT_REMOVED
            || refusal.reason() == RefusalReason.REMOVED_BY_OPERATOR;
    if (!asked && !endpoint.paused && !behind) {
      for (SimPool pool : ways.of(ticket)) {
        if (ways.possible(ticket) && OracleWays.canGo(ticket, pool, now)) {
          throw new InvariantViolation(
              "refused with %s, but it could go by %s: %s"
                  .formatted(refusal, pool == null ? "itself" : pool.name, ticket));
        }
      }
    }
  }

  /**
   * Returns the time until the first of the upstreams that serve a ticket is tried again; 0 if one
   * is healthy.
   */
  long unwell(SimTicket ticket, long now) {
    long soonest = Long.MAX_VALUE;
    for (SimPool pool : ways.of(ticket)) {
      if (pool == null || !pool.gate.onTrial()) {
        return 0;
      }
      soonest = Math.min(soonest, pool.gate.opens(now));
    }
    return soonest - now;
  }

  private boolean changed(SimTicket ticket, long now) {
    return ways.of(ticket).stream().anyMatch(pool -> pool != null && pool.gate.changed(now));
  }

  /**
   * Returns whether a ticket will wait longer than it is willing to, where that can be computed.
   */
  private boolean tooLong(SimTicket ticket, long now) {
    return foretold(ticket, now) == Long.MIN_VALUE
        || ticket.foretold - ticket.arrived > ticket.refusesAbove;
  }

  private long foretold(SimTicket ticket, long now) {
    SimEndpoint endpoint = ticket.endpoint;
    OracleSpend.Metering own = endpoint.own;
    boolean fifo = endpoint.spec.scheduling().order() == QueueOrder.FIFO;
    ticket.foretoldBehind = endpoint.before(ticket.order);
    ticket.foretold =
        undisturbed && fifo && endpoint.spec.permit() && own != null
            ? own.limit().foretold(ticket.foretoldBehind, now)
            : Long.MIN_VALUE;
    return ticket.foretold;
  }

  /** Checks a ticket that stays: it must be willing to wait as long as it will have to. */
  void waits(SimTicket ticket, long now) {
    if (ticket.arrived == now) {
      OracleDenials.goesInTime(ticket);
    }
    // A trial at this very instant may have been its own.
    if (!ticket.facing.paid() && unwell(ticket, now) > 0 && !changed(ticket, now)) {
      throw new InvariantViolation("waits, though no upstream that serves it is well: " + ticket);
    }
    if (foretold(ticket, now) != Long.MIN_VALUE
        && ticket.refusesAbove > 0
        && tooLong(ticket, now)) {
      throw new InvariantViolation(
          "waits, though it will be until " + ticket.foretold + ": " + ticket);
    }
  }

  /**
   * Checks that a granted ticket waited as long as was computed. A grant at a whole nanosecond lets
   * a full bucket lose the rest of that nanosecond: at most one for each earlier ticket.
   */
  static void went(SimTicket ticket, long now) {
    boolean foretold = ticket.foretold != Long.MIN_VALUE;
    if (foretold && (now < ticket.foretold || now - ticket.foretold > ticket.foretoldBehind)) {
      throw new InvariantViolation(
          "goes, and was foretold to go at " + ticket.foretold + ": " + ticket);
    }
  }

  /** Returns whether waits can be computed; with LIFO and random order they cannot. */
  private static boolean foreseeable(SimEndpoint endpoint) {
    QueueOrder queueOrder = endpoint.spec.scheduling().order();
    return queueOrder != QueueOrder.LIFO && queueOrder != QueueOrder.RANDOM;
  }

  /** Checks an expired ticket; at the very instant of its deadline it could still have gone. */
  void expiry(SimTicket ticket, long now) {
    if (ticket.blocked || ticket.deadline < now) {
      return;
    }
    for (SimPool pool : ways.of(ticket)) {
      if (!ticket.endpoint.paused && OracleWays.canGo(ticket, pool, now)) {
        throw new InvariantViolation("expired, but it could go: " + ticket);
      }
    }
  }

  private static boolean full(SimEndpoint endpoint, SimTicket arrived, long now) {
    // A ticket that left at this very instant may have left only after this one arrived.
    endpoint.left.removeIf(each -> each.leftAt != now);
    return endpoint.queue.full(arrived, endpoint.left);
  }

  /**
   * Checks that no ticket waits, nothing runs, and no limit owes anything once its windows have
   * passed.
   */
  void over(long now) {
    for (SimEndpoint endpoint : ways.all()) {
      balanced(endpoint);
      if (!endpoint.waiting.isEmpty() || endpoint.sum(Stage.RUNNING)[0] != 0) {
        throw new InvariantViolation("still waiting or running at the end: " + endpoint.waiting);
      }
      empty(endpoint.line.quota, now);
    }
    ways.pools().forEach(pool -> empty(pool.line.quota, now));
  }

  static void empty(Quota quota, long now) {
    long later = now + 100_000L * SimScenario.SECOND;
    for (MeteredLimit metered : quota.limits()) {
      if (metered.limit().balance(now).reserved() != 0) {
        throw new InvariantViolation(
            quota + " holds " + metered.limit().balance(now) + " at the end");
      }
      if (metered.limit().discounts().sum() != 0) {
        throw new InvariantViolation(
            quota + " leaves uncharged at the end: " + metered.limit().discounts().sum());
      }
      if (metered.limit().room(later) != Long.MAX_VALUE) {
        throw new InvariantViolation(
            quota + " never gets back all its room: " + metered.limit().balance(later));
      }
    }
    if (quota.waitList().isClaimed()) {
      throw new InvariantViolation(quota + " is kept for somebody at the end");
    }
  }
}
