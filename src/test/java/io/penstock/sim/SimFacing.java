package io.penstock.sim;

import org.jspecify.annotations.Nullable;

/**
 * What decides which ways a ticket has: those that face the same are in one lane.
 *
 * @param model the model it asks for, or null
 * @param paid whether its endpoint has given already: it went before, and came back
 * @param not the upstream it avoids while another could serve it, or null
 */
record SimFacing(@Nullable String model, boolean paid, @Nullable String not) {
  SimFacing back(@Nullable String avoided) {
    return new SimFacing(model, true, avoided);
  }

  SimFacing avoidingNone() {
    return new SimFacing(model, paid, null);
  }

  boolean avoids(String upstream) {
    return upstream.equals(not);
  }
}
