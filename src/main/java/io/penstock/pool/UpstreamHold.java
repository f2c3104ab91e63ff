package io.penstock.pool;

import io.penstock.quota.Quota;

/**
 * A pause of an upstream that holds fewer requests than those of a pool: those for one model, or
 * those of one tenant for one model.
 *
 * @param upstream the id of the upstream
 * @param quota a quota without limits, which admits nothing during the pause
 */
public record UpstreamHold(String upstream, Quota quota) {}
