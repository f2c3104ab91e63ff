package io.penstock.sim;

import io.penstock.quota.CallerAccount;
import org.jspecify.annotations.Nullable;

/**
 * Everything that decides which routes a ticket has; tickets with equal values are in one lane.
 *
 * @param model the model it asks for, or null
 * @param paid whether its endpoint was charged already: it was granted before, and came back
 * @param account the account with whose quotas it waits, or null
 * @param not the upstream it avoids while another could serve it, or null
 */
record SimFacing(
    @Nullable String model, boolean paid, @Nullable CallerAccount account, @Nullable String not) {
  SimFacing back(@Nullable String avoided) {
    return new SimFacing(model, true, null, avoided);
  }

  SimFacing avoidingNone() {
    return new SimFacing(model, paid, account, null);
  }

  boolean avoids(String upstream) {
    return upstream.equals(not);
  }
}
