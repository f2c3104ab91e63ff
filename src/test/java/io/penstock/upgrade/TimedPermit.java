package io.penstock.upgrade;

/**
 * A permit given by a gateway, with bounds of the instant of its release.
 *
 * @param giver the gateway
 * @param path the endpoint
 * @param amount the tokens, or 1 if requests are counted
 * @param earliestMillis the Unix time before which it was certainly not released
 * @param latestMillis the Unix time by which it was certainly released
 */
record TimedPermit(
    String giver, String path, long amount, long earliestMillis, long latestMillis) {}
