package io.penstock.sim;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who was passed when a ticket went: earlier ones of its endpoint that could have gone are a fault,
 * earlier ones anywhere that lack nothing but what it took are skipped.
 */
final class OracleOrder {
  /**
   * Whether nobody at all may be skipped too often. The core keeps that promise to the first ticket
   * of each lane and among the tickets of a lane; one further back, passed by tickets of another
   * lane, may collect more until it is the first.
   */
  private static final boolean STRICT = Boolean.getBoolean("penstock.sim.strict-skips");

  private final OracleWays ways;
  private boolean reloading;

  OracleOrder(OracleWays ways) {
    this.ways = ways;
  }

  /** Each endpoint learns of a new configuration in its own time; until all have, it is open. */
  void reloading(boolean now) {
    reloading = now;
  }

  /** Looks at the world just before {@code gone} takes. */
  void released(SimTicket gone, @Nullable SimPool by, long now) {
    for (SimEndpoint endpoint : ways.live()) {
      if (endpoint.paused) {
        continue;
      }
      int before = endpoint.before(gone.order);
      for (int at = 0; at < before; at++) {
        SimTicket earlier = endpoint.waiting.get(at);
        if (earlier.seen && !earlier.clientGone) {
          if (endpoint == gone.endpoint) {
            inOrder(earlier, gone, by, now);
          }
          skipped(earlier, gone, by, now);
        }
      }
    }
  }

  private void inOrder(SimTicket earlier, SimTicket gone, @Nullable SimPool by, long now) {
    for (SimPool pool : ways.of(earlier)) {
      boolean behind =
          keptFrom(earlier, earlier.endpoint.line, gone)
              || (pool != null && keptFrom(earlier, pool.line, gone));
      if (behind || OracleWays.lacks(earlier.endpoint, earlier, now)) {
        continue;
      }
      if (pool == null || OracleWays.fits(pool, earlier, now)) {
        throw new Violation(
            "%s could have gone by %s before %s went by %s"
                .formatted(earlier, name(pool), gone, name(by)));
      }
      if (pool == by
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

  private void skipped(SimTicket earlier, SimTicket gone, @Nullable SimPool by, long now) {
    if (reloading && earlier.endpoint != gone.endpoint) {
      return; // it still stands in the old lines
    }
    boolean skipped = false;
    for (SimPool pool : ways.of(earlier)) {
      SimLine own = earlier.endpoint.line;
      boolean lacksOwn =
          keptFrom(earlier, own, gone) || OracleWays.lacks(earlier.endpoint, earlier, now);
      boolean kept = pool != null && keptFrom(earlier, pool.line, gone);
      boolean lacksPool = pool != null && (kept || OracleWays.lacks(pool, earlier, now));
      if (pool != null && !lacksPool && !OracleWays.fits(pool, earlier, now)) {
        return; // on the very edge of its pace: who knows
      }
      if (!lacksOwn && !lacksPool) {
        return; // it goes next, by its own endpoint
      }
      if (lacksOwn && lacksPool) {
        continue;
      }
      SimLine lacking = lacksOwn || pool == null ? own : pool.line;
      if (lacking.keptFor(earlier)) {
        return; // what it lacks is kept for it already
      }
      boolean took = lacking == gone.endpoint.line || (by != null && lacking == by.line);
      skipped |= took && !lacking.hadClaimed(gone);
    }
    if (skipped) {
      earlier.skips++;
      boolean counts = STRICT || sameLane(earlier, gone) || firstOfLane(earlier);
      if (counts && earlier.skips > earlier.endpoint.spec.scheduling().maxSkips()) {
        throw new Violation("skipped once too often, by " + gone + ": " + earlier);
      }
    }
  }

  private static boolean sameLane(SimTicket a, SimTicket b) {
    return a.endpoint == b.endpoint && Objects.equals(a.model, b.model);
  }

  private static boolean firstOfLane(SimTicket ticket) {
    for (SimTicket each : ticket.endpoint.waiting) {
      if (each == ticket) {
        return true;
      }
      if (Objects.equals(each.model, ticket.model)) {
        return false;
      }
    }
    return true;
  }
}
