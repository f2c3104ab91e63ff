package io.penstock.simulator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The claims on quotas, as last observed. */
final class OracleClaims {
  private final SimWorld world;
  private final List<SimEndpoint> all;
  private final List<SimPool> pools;

  OracleClaims(SimWorld world, List<SimEndpoint> all, List<SimPool> pools) {
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

  private void note(SimClaims line, boolean still) {
    if (!line.kept()) {
      line.claimedBy(null);
      return;
    }
    Long known = line.claimant();
    if (known != null && !still && line.keptFor(known)) {
      return;
    }
    SimTicket claimant = claimant(line);
    line.claimedBy(claimant == null ? null : claimant.order);
    if (line.quota.ofKey()) {
      throw new InvariantViolation(line.quota + " is one key's, and is kept for " + claimant);
    }
    if (still && claimant != null && claimant.heldByKey(world.now())) {
      throw new InvariantViolation(line.quota + " is kept for one held by its key: " + claimant);
    }
    if (still && claimant == null) {
      throw new InvariantViolation(line.quota + " is kept for nobody who waits");
    }
    if (still && claimant != null && claimant.endpoint.paused) {
      throw new InvariantViolation(line.quota + " is kept for one that may not go: " + claimant);
    }
  }

  private @Nullable SimTicket claimant(SimClaims line) {
    for (SimEndpoint endpoint : all) {
      for (SimTicket ticket : endpoint.waiting) {
        if (line.keptFor(ticket.order)) {
          return ticket;
        }
      }
    }
    return null;
  }
}
