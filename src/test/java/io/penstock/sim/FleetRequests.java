package io.penstock.sim;

import io.penstock.cost.Usage;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.Outcome;
import io.penstock.endpoint.Patience;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Settlement;
import io.penstock.event.Event;
import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.Verdict;
import io.penstock.quota.LimitId;
import io.penstock.quota.Metered;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The requests at one instance of a simulated fleet, from their arrival to their end. */
final class FleetRequests {
  private static final Refusal UNREACHABLE =
      Refusal.of(Reason.UPSTREAM_UNREACHABLE, "the upstream does not answer");

  private final FleetSimulation fleet;
  private final FleetInstance instance;
  private final FleetWays ways;

  /** Tickets that were neither released nor ended, in order of arrival. */
  private final TreeMap<Long, FleetTicket> waiting = new TreeMap<>();

  FleetRequests(FleetSimulation fleet, FleetInstance instance) {
    this.fleet = fleet;
    this.instance = instance;
    this.ways = new FleetWays(instance, fleet.choices());
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
    Ask ask =
        new Ask(
            what.model(),
            what.cost(),
            100,
            Patience.DEFAULT,
            0,
            Ask.Flow.ANONYMOUS,
            new Ask.Kept(what.conversation(), null),
            key == null ? null : instance.account(key),
            null);
    decides(ticket, ticket.endpoint.submit(ask));
    if (ticket.endpoint.spec().shadow() && waiting.containsKey(ticket.number)) {
      throw new Violation("a shadow holds " + ticket);
    }
  }

  private void decides(FleetTicket ticket, Pending pending) {
    ticket.pending = pending;
    pending.whenDecided(
        outcome -> {
          if (outcome instanceof Outcome.Granted(Settlement settlement)) {
            granted(ticket, settlement);
          }
        });
  }

  void cancelAll() {
    List.copyOf(waiting.values()).forEach(this::cancel);
  }

  /** Cancels a waiting ticket by its client. */
  void cancel(FleetTicket ticket) {
    Pending pending = ticket.pending;
    if (waiting.containsKey(ticket.number) && pending != null) {
      ticket.endpoint.cancel(pending);
    }
  }

  private void granted(FleetTicket ticket, Settlement settlement) {
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
      fleet.choices().sent(instance, ticket, upstream.spec().id());
    }
    instance.later(
        instance.now() + fleet.serviceNanos(),
        () -> {
          if (upstream != null && fleet.isFailing(upstream.spec().id(), ticket)) {
            failed(ticket, settlement, upstream, ofUpstream);
          } else {
            served(ticket, settlement, upstream);
          }
        });
  }

  private Tries tries(FleetTicket ticket) {
    return new Tries(ticket.ask.model(), 0, ticket.failed, true);
  }

  private void served(FleetTicket ticket, Settlement settlement, @Nullable Upstream upstream) {
    if (upstream != null) {
      fleet.choices().ended(instance, upstream.spec().id(), false);
      upstream.judge(tries(ticket), Lesson.silent(200), instance.local());
    }
    long output = ticket.ask.cost().outputTokens();
    Usage usage = new Usage(ticket.ask.cost().inputTokens(), 0, output);
    settlement.served(usage, output, instance.local());
  }

  /** Ends an attempt that did not reach its upstream. */
  private void failed(
      FleetTicket ticket, Settlement settlement, Upstream upstream, List<SimRelease> ofUpstream) {
    ticket.failed++;
    ticket.avoided = upstream.spec().id();
    fleet.choices().ended(instance, ticket.avoided, true);
    ofUpstream.forEach(each -> each.giveBack(each.amount));
    Verdict verdict = upstream.judge(tries(ticket), Failure.UNSENT, instance.local());
    if (verdict == Verdict.PASS) {
      ticket.kept.forEach(each -> each.giveBack(each.amount));
      settlement.refused(UNREACHABLE, instance.local());
      return;
    }
    waiting.put(ticket.number, ticket);
    Pending next = settlement.again(Failure.UNSENT, true, instance.local());
    if (next == null && ticket.endpoint.spec().shadow()) {
      waiting.remove(ticket.number); // no upstream is open, and nothing waits in shadow mode
      settlement.refused(UNREACHABLE, instance.local());
      return;
    }
    if (next == null) {
      throw new Violation(ticket + " does not come back");
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
  private void release(FleetTicket ticket, Metered metered, List<SimRelease> releases) {
    LimitId id = instance.limits().idOf(metered.limit());
    if (id != null) {
      releases.add(
          fleet.released(id, instance.name(), FleetWays.amount(ticket, metered.measure())));
    }
  }

  private void end(@Nullable FleetTicket ticket) {
    if (ticket != null && waiting.remove(ticket.number) != null) {
      ticket.kept.forEach(each -> each.giveBack(each.amount));
    }
  }
}
