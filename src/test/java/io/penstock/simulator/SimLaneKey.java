package io.penstock.simulator;

import io.penstock.quota.CallerAccount;
import org.jspecify.annotations.Nullable;

/**
 * Everything that decides which routes a ticket has; tickets with equal values are in one lane.
 *
 * @param model the model it asks for, or null
 * @param paid whether its endpoint was charged already: it was granted before, and came back
 * @param account the account with whose quotas it waits, or null
 * @param not the upstream it avoids while another could serve it, or null
 * @param hold those with which it waits until one of them has warmed a cache, or null
 */
record SimLaneKey(
    @Nullable String model,
    boolean paid,
    @Nullable CallerAccount account,
    @Nullable String not,
    @Nullable SimHold hold) {
  SimLaneKey back(@Nullable String avoided) {
    return new SimLaneKey(model, true, null, avoided, null);
  }

  SimLaneKey avoidingNone() {
    return new SimLaneKey(model, paid, account, null, hold);
  }

  SimLaneKey behind(SimHold group) {
    return new SimLaneKey(model, paid, account, not, group);
  }

  boolean avoids(String upstream) {
    return upstream.equals(not);
  }
}
