package io.penstock.endpoint;

import io.penstock.dispatch.TicketFate;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.DimensionSizes;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimates how long a small request that arrives now would wait if all waiting tickets go first.
 */
final class WaitForecast {
  private WaitForecast() {}

  /** Returns the wait at an endpoint; NEVER while its releases are stopped. */
  static long waitNanos(Endpoint endpoint, EndpointServices services, Quota own, boolean paused) {
    long now = services.ticker().nanos();
    return paused
        ? Ticker.NEVER
        : waitNanos(endpoint.spec(), services.upstreams(), own, endpoint.totals(), now);
  }

  /**
   * Returns the wait in nanoseconds at the best upstream, or at the endpoint's own limit alone when
   * it has no upstreams; {@link Ticker#NEVER} when none is enabled.
   */
  private static long waitNanos(
      EndpointSpec spec,
      UpstreamRegistry upstreamRegistry,
      Quota own,
      EndpointTotals endpointTotals,
      long now) {
    long requests = Math.max(0, endpointTotals.requests(TicketFate.WAITING));
    DimensionSizes ahead = new DimensionSizes();
    ahead.setAll(Math.max(0, endpointTotals.tokens(TicketFate.WAITING)));
    DimensionSizes one = new DimensionSizes();
    one.setAll(1);
    long best = Ticker.NEVER;
    for (List<Quota> way : ways(spec, upstreamRegistry, own)) {
      long wait = 0;
      for (Quota quota : way) {
        wait = Math.max(wait, quota.forecastNanos(requests, ahead, one, now));
      }
      best = Math.min(best, wait);
    }
    return best;
  }

  /**
   * Returns the quotas of each upstream, with all its pools that were used: the model that will be
   * asked for is not known.
   */
  private static List<List<Quota>> ways(
      EndpointSpec spec, UpstreamRegistry upstreamRegistry, Quota own) {
    if (spec.permit()) {
      return List.of(List.of(own));
    }
    List<List<Quota>> ways = new ArrayList<>();
    for (UpstreamSpec each : spec.upstreams()) {
      Upstream upstream = upstreamRegistry.find(each.id());
      if (upstream != null && upstream.enabled()) {
        List<Quota> way = new ArrayList<>(upstream.pools().values());
        way.add(own);
        ways.add(way);
      }
    }
    return ways;
  }
}
