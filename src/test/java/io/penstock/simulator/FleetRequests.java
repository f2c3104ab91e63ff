package io.penstock.simulator;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.event.Event;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.AttemptVerdict;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.quota.MeteredLimit;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The requests at one instance of a simulated fleet, from their arrival to their end. */
final class FleetRequests {
  private static final Refusal UNREACHABLE =
      Refusal.of(RefusalReason.UPSTREAM_UNREACHABLE, "the upstream does not answer");

  private final FleetWorld world;
  private final FleetLedger ledger;
  private final FleetChoices choices;
  private final FleetInstance instance;
  private final FleetWays ways;

  /** Tickets that were neither released nor ended, in order of arrival. */
  private final TreeMap<Long, FleetTicket> waiting = new TreeMap<>();

  FleetRequests(
      FleetWorld world, FleetLedger ledger, FleetChoices choices, FleetInstance instance) {
    this.world = world;
    this.ledger = ledger;
    this.choices = choices;
    this.instance = instance;
    this.ways = new FleetWays(instance, choices);
  }

  FleetWays ways() {
    return ways;
  }

  int waiting() {
    return waiting.size();
  }

  /** Returns the waiting ticket that arrived first, or null. */
  @Nullable FleetTicket oldest() {
    return waiting.isEmpty() ? null : waiting.firstEntry().getValue();
  }

  /** Returns whether the oldest ticket may go to an upstream. */
  boolean waitsFor(String upstream) {
    FleetTicket oldest = oldest();
    return oldest != null
        && oldest.waits
        && oldest.endpoint.spec().upstreams().stream().anyMatch(each -> each.id().equals(upstream));
  }

  /** Drops all waiting tickets. */
  void forget() {
    waiting.clear();
  }

  /** Submits a request. */
  void submit(String path, @Nullable FleetKey key, FleetAsk what) {
    FleetTicket ticket =
        new FleetTicket(instance.nextArrival(), instance.endpoint(path), key, what, instance.now());
    waiting.put(ticket.number, ticket);
    TicketRequest ticketRequest =
        RequestFixture.of(what.model(), what.cost())
            .bytes(100)
            .affinity(new TicketRequest.RequestAffinity(what.conversation(), null))
            .account(key == null ? null : instance.account(key))
            .made();
    decides(ticket, ticket.endpoint.submit(ticketRequest));
    if (ticket.endpoint.spec().shadow() && waiting.containsKey(ticket.number)) {
      throw new InvariantViolation("a shadow holds " + ticket);
    }
  }

  private void decides(FleetTicket ticket, ParkedTicket parkedTicket) {
    ticket.parkedTicket = parkedTicket;
    parkedTicket.whenDecided(
        outcome -> {
          if (outcome instanceof TicketOutcome.Granted(TicketSettlement settlement)) {
            granted(ticket, settlement);
          }
        });
  }

  void cancelAll() {
    List.copyOf(waiting.values()).forEach(this::cancel);
  }

  /** Cancels a waiting ticket by its client. */
  void cancel(FleetTicket ticket) {
    ParkedTicket parkedTicket = ticket.parkedTicket;
    if (waiting.containsKey(ticket.number) && parkedTicket != null) {
      parkedTicket.cancel();
    }
  }

  private void granted(FleetTicket ticket, TicketSettlement settlement) {
    waiting.remove(ticket.number);
    ticket.waits = false;
    Upstream upstream = settlement.upstream();
    List<SimRelease> ofUpstream = new ArrayList<>();
    if (!ticket.endpoint.spec().shadow()) {
      chargeKey(ticket);
      ways.ofUpstream(upstream, settlement.model())
          .limits()
          .forEach(each -> release(ticket, each, ofUpstream));
      if (ticket.failed == 0) {
        ways.beside(ticket, settlement.model())
            .limits()
            .forEach(each -> release(ticket, each, ticket.kept));
      }
    }
    if (upstream != null) {
      choices.sent(instance.name(), ticket, upstream.spec().id());
    }
    instance.later(
        instance.now() + serviceNanos(),
        () -> {
          if (upstream != null && choices.isFailing(upstream.spec().id(), ticket)) {
            failed(ticket, settlement, upstream, ofUpstream);
          } else {
            served(ticket, settlement, upstream);
          }
        });
  }

  /** Returns how long an upstream takes to answer. */
  private long serviceNanos() {
    return world.random().nextLong(FleetWorld.SECOND);
  }

  private AttemptHistory tries(FleetTicket ticket) {
    return UpstreamFixture.attempt(ticket.ask.model(), 0, ticket.failed);
  }

  private void served(
      FleetTicket ticket, TicketSettlement settlement, @Nullable Upstream upstream) {
    if (upstream != null) {
      choices.ended(instance.name(), upstream.spec().id(), false);
      upstream.judge(tries(ticket), ProviderLesson.silent(200), instance.local());
    }
    long output = output(ticket);
    ticket.ofBudgets.forEach(each -> each.amount = ticket.ask.cost().inputTokens() + output);
    TokenUsage usage = new TokenUsage(ticket.ask.cost().inputTokens(), 0, output);
    settlement.served(usage, output, instance.local());
  }

  /**
   * Returns the output of an answer: what was expected, but that of half the requests with a budget
   * is anything up to the stated maximum.
   */
  private static long output(FleetTicket ticket) {
    SplittableRandom random = new SplittableRandom(ticket.number);
    Cost cost = ticket.ask.cost();
    return ticket.ofBudgets.isEmpty() || random.nextBoolean()
        ? cost.outputTokens()
        : random.nextLong(cost.statedOutputTokens() + 1);
  }

  /** Ends an attempt that did not reach its upstream. */
  private void failed(
      FleetTicket ticket,
      TicketSettlement settlement,
      Upstream upstream,
      List<SimRelease> ofUpstream) {
    ticket.failed++;
    ticket.avoided = upstream.spec().id();
    choices.ended(instance.name(), ticket.avoided, true);
    ofUpstream.forEach(each -> each.giveBack(each.amount));
    AttemptVerdict verdict =
        upstream.judge(tries(ticket), AttemptFailure.UNSENT, "unsent", instance.local());
    if (verdict == AttemptVerdict.PASS) {
      ticket.kept.forEach(each -> each.giveBack(each.amount));
      settlement.refused(UNREACHABLE, instance.local());
      return;
    }
    waiting.put(ticket.number, ticket);
    ParkedTicket next = settlement.retry(AttemptFailure.UNSENT, true, instance.local());
    if (next == null && ticket.endpoint.spec().shadow()) {
      waiting.remove(ticket.number); // no upstream is open, and nothing waits in shadow mode
      settlement.refused(UNREACHABLE, instance.local());
      return;
    }
    if (next == null) {
      throw new InvariantViolation(ticket + " does not come back");
    }
    decides(ticket, next);
  }

  /** Handles an event of a ticket. */
  void heard(Event event) {
    if (!(event instanceof Event.TicketEvent about)) {
      return;
    }
    FleetTicket ticket = waiting.get(about.ticket());
    switch (about) {
      case Event.Queued queued -> {
        if (ticket != null) {
          ticket.waits = true;
          chargeKey(ticket);
        }
      }
      case Event.Refused refused -> end(ticket);
      case Event.Expired expired -> end(ticket);
      case Event.Cancelled cancelled -> end(ticket);
      case Event.Released released -> {}
      case Event.Served served -> {}
      case Event.Settled settled -> {}
      case Event.Returned returned -> {}
      case Event.Shadowed shadowed -> {}
    }
  }

  /** Records the charges of a key that is charged at arrival. */
  private void chargeKey(FleetTicket ticket) {
    if (ticket.key != null && !ticket.key.waits() && !ticket.charged) {
      ticket.charged = true;
      instance.account(ticket.key).quotas(null, instance.local()).stream()
          .flatMap(each -> each.limits().stream())
          .forEach(each -> release(ticket, each, ticket.kept));
    }
  }

  /** Records that a ticket passed a limit. */
  private void release(FleetTicket ticket, MeteredLimit metered, List<SimRelease> releases) {
    LimitId id = instance.limits().idOf(metered.limit());
    if (id != null) {
      SimRelease release =
          ledger.released(id, instance, FleetWays.amount(ticket, metered.measure()));
      releases.add(release);
      if (FleetWays.isBudget(metered)) {
        ticket.ofBudgets.add(release);
      }
    }
  }

  private void end(@Nullable FleetTicket ticket) {
    if (ticket != null && waiting.remove(ticket.number) != null) {
      ticket.kept.forEach(each -> each.giveBack(each.amount));
    }
  }
}
