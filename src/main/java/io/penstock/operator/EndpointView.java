package io.penstock.operator;

import java.util.Map;

/**
 * JSON form of an endpoint.
 *
 * @param dynamic whether a request created the endpoint, rather than the configuration
 * @param oldestWaitMs how long the oldest waiting ticket has waited
 * @param utilization 0 to 1: the larger of the utilization of the endpoint's own limit and that of
 *     its least used upstream
 * @param ignoredParameters number of requests by each short parameter that they carried and that
 *     the endpoint does not read, without zeros
 * @param config the endpoint's keys of the route files, resolved, with secrets masked
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
    Map<String, Long> ignoredParameters,
    Map<String, Object> config) {}
