package io.penstock.pool;

import io.penstock.quota.Quota;

/**
 * A pause of an upstream that holds fewer requests than those of a pool: those for one model, or
 * those of one tenant for one model.
 *
 * @param upstream the id of the upstream
 * @param model the upstream's own name of the model
 * @param ofTenant whether it holds the requests of one tenant alone
 * @param quota a quota without limits, which admits nothing during the pause
 */
public record UpstreamHold(String upstream, String model, boolean ofTenant, Quota quota) {
  /** Returns the instant at which the pause ends, {@code now} when it has ended. */
  public long ends(long now) {
    return Math.max(quota.gatesOpenAt(now), quota.statedEnd(now));
  }
}
