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

  /** Longest time until an upstream is tried again after it was not reached for 5 s. */
  static final long LONGEST_TRIAL = 8 * FleetWorld.SECOND;

  /** An upstream as one instance has observed it. */
  private static final class Seen {
    private int failures;
    private boolean everUnwell;
    private long failedAt;
    private long lastSent = Long.MIN_VALUE / 2;
  }

  private final FleetWorld world;

  /** Upstream of each conversation, by endpoint and conversation. */
  private final Map<String, String> kept = new HashMap<>();

  /** Upstreams that do not answer. */
  private final Set<String> down = new HashSet<>();

  private final Map<String, Seen> seen = new HashMap<>();
  private boolean anyUnwell;

  FleetChoices(FleetWorld world) {
    this.world = world;
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

  /** Returns whether an attempt does not reach its upstream. */
  boolean isFailing(String upstream, FleetTicket ticket) {
    return isDown(upstream)
        || (world.plan().unsent > 0
            && ticket.failed == 0
            && world.random().nextDouble() < world.plan().unsent);
  }

  private static String conversation(FleetTicket ticket) {
    return ticket.endpoint.path() + " " + ticket.ask.conversation() + " " + ticket.ask.model();
  }

  /** Returns the upstream of a ticket's conversation, or null if it is not known. */
  @Nullable String keptTo(FleetTicket ticket) {
    return anyUnwell ? null : kept.get(conversation(ticket));
  }

  /** Checks the upstream that a ticket is sent to. */
  void sent(String by, FleetTicket ticket, String upstream) {
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
      long since = world.clock().now() - seen.lastSent;
      if (since < FleetWorld.SECOND - FleetWorld.MILLI) {
        throw new InvariantViolation(
            "%s is sent to %s, which fails, %d ns after the last one"
                .formatted(ticket, upstream, since));
      }
    }
    seen.lastSent = world.clock().now();
  }

  /**
   * Returns whether another upstream could be relied on all the time. Otherwise a request may have
   * stopped avoiding the one that failed.
   */
  private boolean isAnotherWell(String by, EndpointSpec spec, String upstream) {
    return world.onOutage() != OutagePolicy.REFUSE
        && spec.upstreams().stream()
            .anyMatch(each -> !each.id().equals(upstream) && !seen(by, each.id()).everUnwell);
  }

  /**
   * Returns whether an upstream has answered for longer than it may take until it is tried again.
   */
  boolean isWellForLong(String by, String upstream) {
    long since = world.clock().now() - seen(by, upstream).failedAt;
    return !isDown(upstream) && since > LONGEST_TRIAL;
  }

  private Seen seen(String by, String upstream) {
    return seen.computeIfAbsent(by + " " + upstream, absent -> new Seen());
  }

  /** Notes the end of an attempt. */
  void ended(String by, @Nullable String upstream, boolean failed) {
    if (upstream != null) {
      Seen seen = seen(by, upstream);
      long now = world.clock().now();
      boolean early = seen.failures >= FAILURES && now - seen.failedAt < FleetWorld.SECOND;
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
