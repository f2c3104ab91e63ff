package io.penstock.simulator;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An API key of a simulated fleet, as all instances are configured with it.
 *
 * @param waits whether its requests wait for its limits; else they are refused at arrival
 * @param group the group it is in, or null
 * @param limits its limits by measure
 */
record FleetKey(
    String name, boolean waits, @Nullable FleetKey group, Map<LimitMeasure, LimitSpec> limits) {}
