package io.penstock.upgrade;

/**
 * A permit that a gateway gave, with what its client knows of the instant of its release.
 *
 * @param giver the gateway
 * @param path the endpoint
 * @param amount the tokens, or 1 where requests are counted
 * @param earliestMillis the Unix time before which it was surely not released
 * @param latestMillis the Unix time by which it was surely released
 */
record TimedPermit(
    String giver, String path, long amount, long earliestMillis, long latestMillis) {}
