package io.penstock.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.pool.Upstream;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** How much of one upstream's limits is used, a gauge a model. Safe from any thread. */
final class UpstreamMeters {
  private final MeterRegistry registry;
  private final Upstream upstream;
  private final Labels models;
  private final Ticker ticker;
  private final Map<String, Meter> gauges = new ConcurrentHashMap<>();
  private boolean removed;

  UpstreamMeters(MeterRegistry registry, Upstream upstream, Labels models, Ticker ticker) {
    this.registry = registry;
    this.upstream = upstream;
    this.models = models;
    this.ticker = ticker;
  }

  /** Returns the upstream whose meters these are. */
  Upstream upstream() {
    return upstream;
  }

  /** Takes note that a request was let go, for {@code model} as the client calls it. */
  void used(@Nullable String model) {
    String label = model == null ? Labels.OTHER : models.of(upstream.spec().ownName(model));
    if (!gauges.containsKey(label)) {
      add(label);
    }
  }

  private synchronized void add(String label) {
    if (!removed && !gauges.containsKey(label)) {
      gauges.put(
          label,
          Gauge.builder("penstock.utilization", upstream, each -> utilization(label))
              .description("The fullest limit of an upstream for a model, 0 to 1")
              .tags("upstream", upstream.spec().id(), "model", label, "scope", "local")
              .register(registry));
    }
  }

  /** All pools without a label of their own show as one: the fullest of them. */
  private double utilization(String label) {
    long now = ticker.nanos();
    double most = 0;
    for (Map.Entry<String, Quota> pool : upstream.pools().entrySet()) {
      String name = models.has(pool.getKey()) ? pool.getKey() : Labels.OTHER;
      if (name.equals(label)) {
        most = Math.max(most, pool.getValue().utilization(now));
      }
    }
    return most;
  }

  /** Removes all meters, for good. */
  synchronized void remove() {
    removed = true;
    gauges.values().forEach(registry::remove);
  }
}
