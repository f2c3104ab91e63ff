package io.penstock.operator;

import java.util.Map;

/**
 * An endpoint as operators see it.
 *
 * @param dynamic whether it was made by a request, not configured
 * @param oldestWaitMs how long the ticket that waits longest has waited
 * @param utilization 0 to 1: of its own limit or, when that is more, of its least used upstream
 * @param config keys of route files, resolved, secrets masked
 */
record EndpointView(
    String path,
    boolean dynamic,
    long queueDepth,
    long queuedTokens,
    long queuedBytes,
    long oldestWaitMs,
    double utilization,
    boolean paused,
    long served,
    long refused,
    long expired,
    long cancelled,
    Map<String, Object> config) {}
