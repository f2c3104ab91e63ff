package io.penstock.simulator;

import io.penstock.cost.Cost;
import org.jspecify.annotations.Nullable;

/**
 * A request of a simulated fleet.
 *
 * @param model the model, or null
 * @param conversation the conversation that keeps it to one upstream, or null
 */
record FleetAsk(Cost cost, @Nullable String model, @Nullable String conversation) {}
