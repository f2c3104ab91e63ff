package io.penstock.endpoint;

import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Sizes;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;

/**
 * Estimates how long a small request that arrives now would wait if all waiting tickets go first.
 */
final class Forecast {
  private Forecast() {}

  /** Returns the wait at an endpoint; NEVER while its releases are stopped. */
  static long waitNanos(Endpoint endpoint, Endpoint.House house, Quota own, boolean paused) {
    long now = house.ticker().nanos();
    return paused
        ? Ticker.NEVER
        : waitNanos(endpoint.spec(), house.upstreams(), own, endpoint.totals(), now);
  }

  /**
   * Returns the wait in nanoseconds at the best upstream, or at the endpoint's own limit alone when
   * it has no upstreams; {@link Ticker#NEVER} when none is enabled.
   */
  private static long waitNanos(
      EndpointSpec spec, Upstreams upstreams, Quota own, Totals totals, long now) {
    long requests = Math.max(0, totals.requests(Totals.Fate.WAITING));
    Sizes ahead = new Sizes();
    ahead.setAll(Math.max(0, totals.tokens(Totals.Fate.WAITING)));
    Sizes one = new Sizes();
    one.setAll(1);
    long best = Ticker.NEVER;
    for (List<Quota> way : ways(spec, upstreams, own)) {
      long wait = 0;
      for (Quota quota : way) {
        wait = Math.max(wait, quota.forecast(requests, ahead, one, now));
      }
      best = Math.min(best, wait);
    }
    return best;
  }

  /**
   * Returns the quotas of each upstream, with all its pools that were used: the model that will be
   * asked for is not known.
   */
  private static List<List<Quota>> ways(EndpointSpec spec, Upstreams upstreams, Quota own) {
    if (spec.permit()) {
      return List.of(List.of(own));
    }
    List<List<Quota>> ways = new ArrayList<>();
    for (UpstreamSpec each : spec.upstreams()) {
      Upstream upstream = upstreams.find(each.id());
      if (upstream != null && upstream.enabled()) {
        List<Quota> way = new ArrayList<>(upstream.pools().values());
        way.add(own);
        ways.add(way);
      }
    }
    return ways;
  }
}
