package io.penstock.sim;

import io.penstock.cost.Cost;
import org.jspecify.annotations.Nullable;

/**
 * What a request of a simulated fleet asks.
 *
 * @param model the model, or null
 * @param conversation what it belongs to, which keeps it to one upstream, or null
 */
record FleetAsk(Cost cost, @Nullable String model, @Nullable String conversation) {}
