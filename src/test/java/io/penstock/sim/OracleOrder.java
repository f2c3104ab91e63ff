package io.penstock.sim;

import io.penstock.queue.Order;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who was passed when a ticket went: earlier ones of its endpoint that could have gone are a fault,
 * earlier ones anywhere that lack nothing but what it took are skipped.
 */
final class OracleOrder {
  /**
   * Whether nobody at all may be skipped too often. The core keeps that promise within an endpoint,
   * and to the first ticket of each lane; one further back, passed by tickets of another endpoint,
   * may collect more until it is the first.
   */
  private static final boolean STRICT = Boolean.getBoolean("penstock.sim.strict-skips");

  private final OracleWays ways;
  private final boolean exact;
  private boolean reloading;

  /**
   * Knows nobody yet.
   *
   * @param exact whether everybody uses what was expected
   */
  OracleOrder(OracleWays ways, boolean exact) {
    this.ways = ways;
    this.exact = exact;
  }

  /** Each endpoint learns of a new configuration in its own time; until all have, it is open. */
  void reloading(boolean now) {
    reloading = now;
  }

  /** Looks at the world just before {@code gone} takes. */
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

  /** Within an endpoint its own order counts, for each ticket. */
  private void among(SimTicket gone, @Nullable SimPool by, long now) {
    OracleRanking ranking = gone.endpoint.ranking;
    List<SimTicket> waiting = gone.endpoint.waiting;
    int most = ranking.order() == Order.FIFO ? gone.endpoint.before(gone.order) : waiting.size();
    for (int at = 0; at < most; at++) {
      SimTicket earlier = waiting.get(at);
      if (earlier != gone && earlier.in() && ranking.before(earlier, gone, now)) {
        inOrder(earlier, gone, by, now);
        if (skipped(earlier, gone, by, now)) {
          mayPass(earlier, gone);
          collect(earlier, gone, true);
        }
      }
    }
  }

  /** Between endpoints it is who came first, for the first of each lane. */
  private void elsewhere(SimEndpoint endpoint, SimTicket gone, @Nullable SimPool by, long now) {
    if (endpoint.justLeft(now)) {
      return; // who is first of its lane shows only once it has let go of them
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
      throw new Violation("skipped once too often, by " + gone + ": " + earlier);
    }
  }

  /** A flow may be passed only by one that does not get too far ahead of it. */
  private static void mayPass(SimTicket earlier, SimTicket gone) {
    OracleFair fair = gone.endpoint.ranking.fair;
    boolean other = !earlier.ask.flow().name().equals(gone.ask.flow().name());
    if (fair != null && other && firstOfFlow(earlier) && fair.tooFarAhead(gone, earlier)) {
      throw new Violation(gone + " gets too far ahead of " + earlier);
    }
  }

  /** Takes note in whose favour it went. */
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

  /** Takes note of what a ticket that went has used. */
  void used(SimTicket ticket, long tokens) {
    OracleFair fair = ticket.fair;
    if (fair != null && fair == ticket.endpoint.ranking.fair) {
      fair.settled(ticket, tokens);
    }
  }

  private void inOrder(SimTicket earlier, SimTicket gone, @Nullable SimPool by, long now) {
    for (SimQuota each : earlier.more()) {
      if (each.lacks(earlier, now) || keptFrom(earlier, each.line, gone)) {
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
        throw new Violation(
            "%s could have gone by %s before %s went by %s"
                .formatted(earlier, name(pool), gone, name(by)));
      }
      if (pool == by
          && !passes(gone, pool.line)
          && OracleWays.inWindow(pool, earlier, now)
          && OracleWays.lacks(pool, earlier, now)) {
        throw new Violation(earlier + " waits for the pace alone, overtaken by " + gone);
      }
    }
  }

  private static String name(@Nullable SimPool pool) {
    return pool == null ? "itself" : pool.name;
  }

  /** Whether a quota is kept for another; a claim of {@code gone} has ended only just now. */
  private static boolean keptFrom(SimTicket ticket, SimLine line, SimTicket gone) {
    return line.hadClaimed(gone) || line.keptFrom(ticket);
  }

  /** Whether a quota is kept for somebody whom only one who came back may pass. */
  private static boolean passes(SimTicket gone, SimLine line) {
    return gone.facing.paid() && line.kept();
  }

  /** Whether what it needs of its endpoint is kept for another; who came back needs nothing. */
  private static boolean ownKeptFrom(SimTicket ticket, SimTicket gone) {
    return !ticket.facing.paid() && keptFrom(ticket, ticket.endpoint.line, gone);
  }

  private boolean skipped(SimTicket earlier, SimTicket gone, @Nullable SimPool by, long now) {
    if (reloading && earlier.endpoint != gone.endpoint) {
      return false; // it still stands in the old lines
    }
    List<SimQuota> lackingMore = new ArrayList<>();
    for (SimQuota each : earlier.more()) {
      if (each.lacks(earlier, now) || keptFrom(earlier, each.line, gone)) {
        lackingMore.add(each);
      }
    }
    boolean byKey = lackingMore.stream().anyMatch(SimQuota::personal);
    // Another endpoint may not have seen yet that a key lets it go.
    boolean unseen = earlier.facing.account() != null && earlier.endpoint != gone.endpoint;
    if (byKey || unseen || lackingMore.size() > 1) {
      return false;
    }
    boolean skipped = false;
    for (SimPool pool : ways.of(earlier)) {
      if (pool != null && !OracleWays.possible(pool, earlier)) {
        continue; // whatever frees there is of no use to it
      }
      SimLine own = earlier.endpoint.line;
      boolean lacksOwn = ownKeptFrom(earlier, gone) || OracleWays.lacks(earlier, now);
      boolean kept = pool != null && keptFrom(earlier, pool.line, gone);
      boolean lacksPool = pool != null && (kept || OracleWays.lacks(pool, earlier, now));
      if (pool != null && !lacksPool && !OracleWays.fits(pool, earlier, now)) {
        return false; // on the very edge of its pace: who knows
      }
      int lacks = lackingMore.size() + (lacksOwn ? 1 : 0) + (lacksPool ? 1 : 0);
      if (lacks == 0) {
        return false; // it goes next, by its own endpoint
      }
      if (lacks > 1) {
        continue;
      }
      SimLine one = lacksOwn || pool == null ? own : pool.line;
      SimLine lacking = lackingMore.isEmpty() ? one : lackingMore.getFirst().line;
      if (lacking.keptFor(earlier)) {
        return false; // what it lacks is kept for it
      }
      boolean took =
          (lacking == gone.endpoint.line && !gone.facing.paid())
              || (by != null && lacking == by.line)
              || gone.more().stream().anyMatch(each -> each.line == lacking);
      skipped |= took && !passes(gone, lacking) && !lacking.hadClaimed(gone);
    }
    return skipped;
  }

  /** Returns the first of the lane of a ticket, null when two may be. */
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
