package io.penstock.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The service of each flow of an endpoint: the expected cost when a ticket is granted, the real
 * usage once it is known. A flow that comes back from idleness is lifted to the least active one.
 * Counted in fractions of a token, as whole numbers.
 */
final class OracleFair {
  /** Fractions of a token; every weight that is drawn divides it, so nothing is ever rounded. */
  static final long PARTS = 4;

  private static final class Flow {
    final String name;
    final long part;
    long service;
    int waiting;
    int stretch;

    /** All charges in tokens: never lifted, never corrected. */
    long charged;

    Flow(SimTicket first) {
      this.name = first.ask.flow().name();
      this.part = PARTS / first.ask.flow().weight();
    }
  }

  /** Range of the distance between two flows while both were busy. */
  private static final class Pair {
    int one;
    int other;
    long low;
    long high;
  }

  private final Map<String, Flow> flows = new HashMap<>();
  private final Map<String, Pair> pairs = new HashMap<>();
  private final boolean lifts;
  private long virtual;
  private long largest;
  private long largestEver;
  private int busy;
  private boolean unsure;

  OracleFair(boolean lifts) {
    this.lifts = lifts;
  }

  static long tokens(SimTicket ticket) {
    return Math.max(1, ticket.cost.uncachedTokens() + ticket.cost.outputTokens());
  }

  /** Notes that a flow may have been lifted at another instant than was observed. */
  void unsure() {
    unsure = true;
  }

  boolean sure() {
    return !unsure;
  }

  private Flow flow(SimTicket ticket) {
    return flows.computeIfAbsent(ticket.ask.flow().name(), absent -> new Flow(ticket));
  }

  private long leastActive() {
    long least = Long.MAX_VALUE;
    for (Flow each : flows.values()) {
      least = each.waiting > 0 ? Math.min(least, each.service) : least;
    }
    return least;
  }

  void joins(SimTicket ticket) {
    Flow flow = flow(ticket);
    if (flow.waiting == 0) {
      long least = leastActive();
      if (lifts) {
        flow.service = Math.max(flow.service, least == Long.MAX_VALUE ? virtual : least);
      }
      flow.stretch++;
      busy++;
    }
    flow.waiting++;
  }

  void leaves(SimTicket ticket) {
    Flow flow = flow(ticket);
    flow.waiting--;
    if (flow.waiting == 0) {
      busy--;
      largest = busy == 0 ? 0 : largest;
    }
  }

  boolean before(SimTicket a, SimTicket b) {
    Flow one = flow(a);
    Flow other = flow(b);
    return one == other ? a.order < b.order : one.service < other.service;
  }

  /** Returns whether a flow would get too far ahead of another flow by overtaking it. */
  boolean tooFarAhead(SimTicket gone, SimTicket passed) {
    Flow flow = flow(gone);
    long cost = tokens(gone);
    long ahead = flow.service + cost * flow.part - flow(passed).service;
    return 2 * ahead > 3 * Math.max(largest, cost) * flow.part;
  }

  /** Charges a granted ticket, which has left the queue. */
  void charged(SimTicket ticket) {
    Flow flow = flow(ticket);
    virtual = Math.max(virtual, Math.min(flow.service, leastActive()));
    largest = Math.max(largest, tokens(ticket));
    largestEver = Math.max(largestEver, tokens(ticket));
    flow.service += tokens(ticket) * flow.part;
    flow.charged += tokens(ticket);
  }

  void settled(SimTicket ticket, long usedTokens) {
    Flow flow = flow(ticket);
    // A request without tokens counts as one token, whatever was expected.
    long used = Math.max(1, usedTokens);
    flow.service += (used - tokens(ticket)) * flow.part;
    if (used != tokens(ticket)) {
      flow.stretch++; // the charge is not what it got
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(unsure ? "unsure" : "");
    flows.forEach(
        (name, flow) ->
            text.append(name)
                .append(" got ")
                .append(flow.service / (double) PARTS)
                .append(" waiting ")
                .append(flow.waiting)
                .append(", "));
    return text.toString();
  }

  /**
   * Checks how far the flow of a granted ticket got ahead of each other flow while both were busy;
   * only where all tickets of the endpoint face the same limits.
   */
  void compare(SimTicket gone) {
    Flow flow = flow(gone);
    List<Flow> others = new ArrayList<>(flows.values());
    for (Flow other : others) {
      if (other != flow && other.part == flow.part && other.waiting > 0) {
        boolean first = flow.name.compareTo(other.name) < 0;
        compare(first ? flow : other, first ? other : flow);
      }
    }
  }

  private void compare(Flow one, Flow other) {
    Pair pair = pairs.computeIfAbsent(one.name + ' ' + other.name, absent -> new Pair());
    long ahead = one.charged - other.charged;
    if (pair.one != one.stretch || pair.other != other.stretch) {
      pair.one = one.stretch;
      pair.other = other.stretch;
      pair.low = ahead;
      pair.high = ahead;
    }
    pair.low = Math.min(pair.low, ahead);
    pair.high = Math.max(pair.high, ahead);
    if (pair.high - pair.low > 3 * largestEver) {
      throw new InvariantViolation(
          "flows %s and %s came %d apart, the largest cost is %d"
              .formatted(one.name, other.name, pair.high - pair.low, largestEver));
    }
  }
}
