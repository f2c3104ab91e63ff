package io.penstock.simulator;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.sharing.OutagePolicy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the choice of upstreams in a simulated fleet against a user's expectations rather than the
 * program's rules: a conversation stays at its upstream, a failed attempt is repeated at another
 * one, and a failing upstream gets hardly any requests.
 */
final class FleetChoices {
  /** Failures in a row after which an upstream counts as unhealthy. */
  private static final int FAILURES = 3;

  /** An upstream as one instance has observed it. */
  private static final class Seen {
    private int failures;
    private boolean everUnwell;
    private long failedAt;
    private long lastSent = Long.MIN_VALUE / 2;
  }

  private final FleetSimulation fleet;

  /** Upstream of each conversation, by endpoint and conversation. */
  private final Map<String, String> kept = new HashMap<>();

  /** Upstreams that do not answer. */
  private final Set<String> down = new HashSet<>();

  private final Map<String, Seen> seen = new HashMap<>();
  private boolean anyUnwell;

  FleetChoices(FleetSimulation fleet) {
    this.fleet = fleet;
  }

  /** Makes an upstream fail from now on. */
  void fails(String upstream) {
    down.add(upstream);
  }

  /** Makes an upstream answer again. */
  void recovers(String upstream) {
    down.remove(upstream);
  }

  boolean isDown(@Nullable String upstream) {
    return upstream != null && down.contains(upstream);
  }

  private static String conversation(FleetTicket ticket) {
    return ticket.endpoint.path() + " " + ticket.ask.conversation() + " " + ticket.ask.model();
  }

  /** Returns the upstream of a ticket's conversation, or null if it is not known. */
  @Nullable String keptTo(FleetTicket ticket) {
    return anyUnwell ? null : kept.get(conversation(ticket));
  }

  /** Checks the upstream that a ticket is sent to. */
  void sent(FleetInstance by, FleetTicket ticket, String upstream) {
    if (ticket.failed == 0 && ticket.ask.conversation() != null && !anyUnwell) {
      String before = kept.putIfAbsent(conversation(ticket), upstream);
      if (before != null && !before.equals(upstream)) {
        throw new InvariantViolation(
            "%s leaves %s, where its conversation is, for %s".formatted(ticket, before, upstream));
      }
    }
    if (upstream.equals(ticket.avoided) && isAnotherWell(by, ticket.endpoint.spec(), upstream)) {
      throw new InvariantViolation(
          ticket + " goes again to " + upstream + ", which has just failed");
    }
    Seen seen = seen(by, upstream);
    if (isDown(upstream) && seen.failures >= FAILURES) {
      long since = fleet.clock().now() - seen.lastSent;
      if (since < FleetSimulation.SECOND - FleetSimulation.MILLI) {
        throw new InvariantViolation(
            "%s is sent to %s, which fails, %d ns after the last one"
                .formatted(ticket, upstream, since));
      }
    }
    seen.lastSent = fleet.clock().now();
  }

  /**
   * Returns whether another upstream could be relied on all the time. Otherwise a request may have
   * stopped avoiding the one that failed.
   */
  private boolean isAnotherWell(FleetInstance by, EndpointSpec spec, String upstream) {
    return fleet.onOutage() != OutagePolicy.REFUSE
        && spec.upstreams().stream()
            .anyMatch(each -> !each.id().equals(upstream) && !seen(by, each.id()).everUnwell);
  }

  /**
   * Returns whether an upstream has answered for longer than it may take until it is tried again.
   */
  boolean isWellForLong(FleetInstance by, String upstream) {
    long since = fleet.clock().now() - seen(by, upstream).failedAt;
    return !isDown(upstream) && since > FleetTroubles.LONGEST_TRIAL;
  }

  private Seen seen(FleetInstance by, String upstream) {
    return seen.computeIfAbsent(by.name() + " " + upstream, absent -> new Seen());
  }

  /** Notes the end of an attempt. */
  void ended(FleetInstance by, @Nullable String upstream, boolean failed) {
    if (upstream != null) {
      Seen seen = seen(by, upstream);
      long now = fleet.clock().now();
      boolean early = seen.failures >= FAILURES && now - seen.failedAt < FleetSimulation.SECOND;
      if (!failed && !early) {
        seen.failures = 0; // an early answer is to a request from before the failures
      } else if (failed) {
        seen.failures++;
        seen.everUnwell |= seen.failures >= FAILURES;
        anyUnwell |= seen.everUnwell;
        seen.failedAt = now;
      }
    }
  }
}
