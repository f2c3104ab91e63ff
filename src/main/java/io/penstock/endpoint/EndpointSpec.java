package io.penstock.endpoint;

import io.penstock.cost.Dialect;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One endpoint, as configured, every default filled in.
 *
 * @param path normalised: starts with a slash, no slash at the end, no empty or dotted segment
 * @param algorithm the algorithm of its own limit
 * @param limit the limit itself, of requests or, for a token window, of tokens
 * @param order in which order tickets leave
 * @param bounds how much may wait
 * @param queueTimeoutNanos the longest wait, and the estimate refused at arrival; 0 is off
 * @param maxWaitNanos the longest any ticket waits; 0 is unlimited
 * @param maxSkips how often a ticket may be passed by later ones, ≥ 0
 * @param reading how its requests are read
 * @param stripPrefix whether the path of the endpoint is removed before forwarding
 * @param upstreams where its requests go; empty for a permit endpoint
 * @param shown the configuration as an operator sees it: keys of route files, resolved, secrets
 *     masked
 */
public record EndpointSpec(
    String path,
    Algorithm algorithm,
    LimitSpec limit,
    Order order,
    Bounds bounds,
    long queueTimeoutNanos,
    long maxWaitNanos,
    int maxSkips,
    Reading reading,
    boolean stripPrefix,
    List<UpstreamSpec> upstreams,
    Map<String, Object> shown) {

  /**
   * How requests are read.
   *
   * @param dialect the dialect
   * @param costFrom where the cost is read
   * @param defaultTokens the input when nothing better is known, ≥ 0
   * @param defaultOutputTokens the output expected when nothing is said, ≥ 0
   * @param maxBodyBytes the largest weighed body
   */
  public record Reading(
      Dialect dialect,
      CostFrom costFrom,
      long defaultTokens,
      long defaultOutputTokens,
      long maxBodyBytes) {}

  public EndpointSpec {
    if (!path.startsWith("/") || (path.length() > 1 && path.endsWith("/"))) {
      throw new IllegalArgumentException("path is " + path + ", expected /like/this");
    }
    upstreams = List.copyOf(upstreams);
    shown = Collections.unmodifiableMap(new LinkedHashMap<>(shown));
  }

  /** Returns whether the endpoint answers by itself, having nowhere to forward to. */
  public boolean permit() {
    return upstreams.isEmpty();
  }
}
