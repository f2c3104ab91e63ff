package io.penstock.sim;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The claims on quotas, as last observed. */
final class OracleClaims {
  private final Simulation world;
  private final List<SimEndpoint> all;
  private final List<SimPool> pools;

  OracleClaims(Simulation world, List<SimEndpoint> all, List<SimPool> pools) {
    this.world = world;
    this.all = all;
    this.pools = pools;
  }

  /** Records all claims; throws if one belongs to no ticket that could use it. */
  void note(boolean still) {
    for (SimEndpoint endpoint : all) {
      note(endpoint.line, still);
    }
    for (SimPool pool : pools) {
      note(pool.line, still);
    }
    for (SimQuota quota : world.keys().quotas()) {
      note(quota.line, still);
    }
  }

  private void note(SimLine line, boolean still) {
    if (!line.kept()) {
      line.claimedBy(null);
      return;
    }
    SimTicket known = line.claimant();
    if (known != null && !still && line.keptFor(known)) {
      return;
    }
    SimTicket claimant = claimant(line);
    line.claimedBy(claimant);
    if (line.quota.personal()) {
      throw new Violation(line.quota + " is one key's, and is kept for " + claimant);
    }
    if (still && claimant != null && claimant.heldByKey(world.now())) {
      throw new Violation(line.quota + " is kept for one held by its key: " + claimant);
    }
    if (still && claimant == null) {
      throw new Violation(line.quota + " is kept for nobody who waits");
    }
    if (still && claimant != null && claimant.endpoint.paused) {
      throw new Violation(line.quota + " is kept for one that may not go: " + claimant);
    }
  }

  private @Nullable SimTicket claimant(SimLine line) {
    for (SimEndpoint endpoint : all) {
      for (SimTicket ticket : endpoint.waiting) {
        if (line.keptFor(ticket)) {
          return ticket;
        }
      }
    }
    return null;
  }
}
