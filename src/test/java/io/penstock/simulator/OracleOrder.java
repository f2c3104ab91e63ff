package io.penstock.simulator;

import io.penstock.queue.QueueOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks the order of grants. An earlier ticket of the same endpoint that could have gone is a
 * violation; earlier tickets anywhere that lacked only what the granted one took are counted as
 * skipped.
 */
final class OracleOrder {
  /**
   * Whether no ticket at all may be skipped too often. The core promises that within an endpoint,
   * and for the first ticket of each lane; one further back may be skipped more often by other
   * endpoints' tickets until it is the first.
   */
  private static final boolean STRICT = Boolean.getBoolean("penstock.sim.strict-skips");

  private final OracleWays ways;
  private final boolean exact;
  private boolean reloading;

  /**
   * Creates the checks, without tickets.
   *
   * @param exact whether all requests use exactly what was expected
   */
  OracleOrder(OracleWays ways, boolean exact) {
    this.ways = ways;
    this.exact = exact;
  }

  /**
   * Sets whether endpoints apply a new configuration, each in its own time; until all have, skips
   * between them are not checked.
   */
  void reloading(boolean now) {
    reloading = now;
  }

  /** Checks the state just before {@code gone} is charged. */
  void released(SimTicket gone, @Nullable SimPool by, long now) {
    for (SimEndpoint endpoint : ways.live()) {
      if (!endpoint.paused && endpoint.ranking.sure()) {
        if (endpoint == gone.endpoint) {
          among(gone, by, now);
        } else {
          elsewhere(endpoint, gone, by, now);
        }
      }
    }
  }

  /** Checks the tickets of the same endpoint, each by the endpoint's own order. */
  private void among(SimTicket gone, @Nullable SimPool by, long now) {
    OracleRanking ranking = gone.endpoint.ranking;
    List<SimTicket> waiting = gone.endpoint.waiting;
    int most =
        ranking.order() == QueueOrder.FIFO ? gone.endpoint.before(gone.order) : waiting.size();
    for (int at = 0; at < most; at++) {
      SimTicket earlier = waiting.get(at);
      if (earlier != gone && earlier.in() && ranking.before(earlier, gone, now)) {
        inOrder(earlier, gone, by, now);
        SimHold hold = earlier.facing.hold();
        if (hold != null && hold.holds(now)) {
          earlier.skips++; // any number of tickets may pass it now, and fewer ones after that
        } else if (skipped(earlier, gone, by, now)) {
          mayPass(earlier, gone);
          collect(earlier, gone, true);
        }
      }
    }
  }

  /** Checks the first ticket of each lane of another endpoint, by arrival. */
  private void elsewhere(SimEndpoint endpoint, SimTicket gone, @Nullable SimPool by, long now) {
    if (endpoint.justLeft(now)) {
      return; // the first of a lane is known only after it has released those
    }
    int before = endpoint.before(gone.order);
    for (int at = 0; at < before; at++) {
      SimTicket earlier = endpoint.waiting.get(at);
      if (!earlier.in() || !skipped(earlier, gone, by, now)) {
        continue;
      }
      SimTicket first = firstOfLane(earlier, now);
      if (STRICT || (first != null && first.order < gone.order)) {
        collect(earlier, gone, STRICT || first == earlier);
      }
    }
  }

  private static void collect(SimTicket earlier, SimTicket gone, boolean counts) {
    earlier.skips++;
    if (counts && earlier.skips > earlier.endpoint.spec.scheduling().maxSkips()) {
      throw new InvariantViolation("skipped once too often, by " + gone + ": " + earlier);
    }
  }

  /** Throws if a flow that overtakes another gets too far ahead of it. */
  private static void mayPass(SimTicket earlier, SimTicket gone) {
    OracleFair fair = gone.endpoint.ranking.fair;
    boolean other = !earlier.ask.flow().name().equals(gone.ask.flow().name());
    if (fair != null && other && firstOfFlow(earlier) && fair.tooFarAhead(gone, earlier)) {
      throw new InvariantViolation(gone + " gets too far ahead of " + earlier);
    }
  }

  /** Records a grant in the service of its flow. */
  void charged(SimTicket gone, List<@Nullable SimPool> ways) {
    OracleFair fair = gone.endpoint.ranking.fair;
    gone.fair = fair;
    if (fair != null) {
      fair.charged(gone);
      boolean oneLimit = gone.endpoint.spec.permit() || gone.endpoint.own == null;
      if (exact && oneLimit && ways.size() == 1 && fair.sure()) {
        fair.compare(gone);
      }
    }
  }

  /** Records the real usage of a granted ticket. */
  void used(SimTicket ticket, long tokens) {
    OracleFair fair = ticket.fair;
    if (fair != null && fair == ticket.endpoint.ranking.fair) {
      fair.settled(ticket, tokens);
    }
  }

  private void inOrder(SimTicket earlier, SimTicket gone, @Nullable SimPool by, long now) {
    for (SimQuota each : earlier.more()) {
      if (each.lacks(earlier.demand, now) || keptFrom(earlier, each.line, gone)) {
        return;
      }
    }
    for (SimPool pool : ways.of(earlier)) {
      boolean behind =
          ownKeptFrom(earlier, gone) || (pool != null && keptFrom(earlier, pool.line, gone));
      if (behind || OracleWays.lacks(earlier, now)) {
        continue;
      }
      if (pool == null || OracleWays.fits(pool, earlier, now)) {
        throw new InvariantViolation(
            "%s could have gone by %s before %s went by %s"
                .formatted(earlier, name(pool), gone, name(by)));
      }
      if (pool == by
          && !passes(gone, pool.line)
          && OracleWays.inWindow(pool, earlier, now)
          && OracleWays.lacks(pool, earlier, now)) {
        throw new InvariantViolation(earlier + " waits for the pace alone, overtaken by " + gone);
      }
    }
  }

  private static String name(@Nullable SimPool pool) {
    return pool == null ? "itself" : pool.name;
  }

  /**
   * Returns whether a quota is claimed for another; a claim of {@code gone} has ended only just
   * now.
   */
  private static boolean keptFrom(SimTicket ticket, SimClaims line, SimTicket gone) {
    return line.hadClaimed(gone.order) || ticket.barredBy(line);
  }

  /** Returns whether a quota has a claim that only a ticket that came back may pass. */
  private static boolean passes(SimTicket gone, SimClaims line) {
    return gone.facing.paid() && line.kept();
  }

  /**
   * Returns whether its endpoint's quota is claimed for another; a ticket that came back does not
   * need it.
   */
  private static boolean ownKeptFrom(SimTicket ticket, SimTicket gone) {
    return !ticket.facing.paid() && keptFrom(ticket, ticket.endpoint.line, gone);
  }

  private boolean skipped(SimTicket earlier, SimTicket gone, @Nullable SimPool by, long now) {
    if (reloading && earlier.endpoint != gone.endpoint) {
      return false; // it is still in the old wait lists
    }
    List<SimQuota> lackingMore = new ArrayList<>();
    for (SimQuota each : earlier.more()) {
      if (each.lacks(earlier.demand, now) || keptFrom(earlier, each.line, gone)) {
        lackingMore.add(each);
      }
    }
    boolean byKey = lackingMore.stream().anyMatch(SimQuota::personal);
    // Another endpoint may not know yet that a key has room again.
    boolean keyed = earlier.facing.account() != null || earlier.facing.hold() != null;
    boolean unseen = keyed && earlier.endpoint != gone.endpoint;
    if (byKey || unseen || lackingMore.size() > 1) {
      return false;
    }
    boolean skipped = false;
    for (SimPool pool : ways.of(earlier)) {
      if (pool != null && !OracleWays.possible(pool, earlier)) {
        continue; // what is freed there is of no use to it
      }
      SimClaims own = earlier.endpoint.line;
      boolean lacksOwn = ownKeptFrom(earlier, gone) || OracleWays.lacks(earlier, now);
      boolean kept = pool != null && keptFrom(earlier, pool.line, gone);
      boolean lacksPool = pool != null && (kept || OracleWays.lacks(pool, earlier, now));
      if (pool != null && !lacksPool && !OracleWays.fits(pool, earlier, now)) {
        return false; // too close to its pace to be sure
      }
      int lacks = lackingMore.size() + (lacksOwn ? 1 : 0) + (lacksPool ? 1 : 0);
      if (lacks == 0) {
        return false; // it goes next, by its own endpoint
      }
      if (lacks > 1) {
        continue;
      }
      SimClaims one = lacksOwn || pool == null ? own : pool.line;
      SimClaims lacking = lackingMore.isEmpty() ? one : lackingMore.getFirst().line;
      if (lacking.keptFor(earlier.order)) {
        return false; // what it lacks is claimed for it
      }
      boolean took =
          (lacking == gone.endpoint.line && !gone.facing.paid())
              || (by != null && lacking == by.line)
              || gone.more().stream().anyMatch(each -> each.line == lacking);
      skipped |= took && !passes(gone, lacking) && !lacking.hadClaimed(gone.order);
    }
    return skipped;
  }

  /** Returns the first ticket of a ticket's lane; null when two may be first. */
  private static @Nullable SimTicket firstOfLane(SimTicket ticket, long now) {
    OracleRanking ranking = ticket.endpoint.ranking;
    SimTicket first = ticket;
    boolean tied = ticket.endpoint.queue.unsure();
    for (SimTicket each : ticket.endpoint.waiting) {
      boolean same = each.in() && each.facing.equals(ticket.facing);
      if (same && each != first && !ranking.before(first, each, now)) {
        boolean before = ranking.before(each, first, now);
        tied |= !before;
        first = before ? each : first;
      }
    }
    return tied ? null : first;
  }

  private static boolean firstOfFlow(SimTicket ticket) {
    String flow = ticket.ask.flow().name();
    for (SimTicket each : ticket.endpoint.waiting) {
      boolean same = each.in() && each.facing.equals(ticket.facing);
      if (same && each.ask.flow().name().equals(flow)) {
        return each == ticket;
      }
    }
    return true;
  }
}
