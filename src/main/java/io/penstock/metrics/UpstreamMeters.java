package io.penstock.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.cost.Measure;
import io.penstock.limit.Learned;
import io.penstock.pool.Upstream;
import io.penstock.quota.Metered;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * How one upstream fares: how much of its limits is used, how far the provider sees them otherwise,
 * and how often it said no, all by model; and whether it is well. Safe from any thread.
 */
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
    watch();
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
    if (removed || gauges.containsKey(label)) {
      return;
    }
    String id = upstream.spec().id();
    gauges.put(label, used(label, "local", Quota::utilization));
    gauges.put(label + " global", used(label, "global", Quota::utilizationEverywhere));
    gauges.put(
        label + " throttled",
        FunctionCounter.builder("penstock.upstream.throttled", upstream, each -> throttled(label))
            .description("Answers of an upstream that were 429")
            .tags("upstream", id, "model", label)
            .register(registry));
    for (Measure measure : Measure.values()) {
      gauges.put(
          label + " " + measure,
          Gauge.builder("penstock.upstream.drift.ratio", upstream, each -> drift(label, measure))
              .description(
                  "How much more was believed to be left than the provider said, in limits")
              .tags("upstream", id, "model", label)
              .tag("measure", measure.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
  }

  private Gauge used(String label, String scope, ToDoubleBiFunction<Quota, Long> of) {
    return Gauge.builder("penstock.utilization", upstream, each -> utilization(label, of))
        .description("The fullest limit of an upstream for a model, 0 to 1")
        .tags("upstream", upstream.spec().id(), "model", label, "scope", scope)
        .register(registry);
  }

  private synchronized void watch() {
    gauges.put(
        "",
        Gauge.builder("penstock.upstream.healthy", upstream, each -> healthy())
            .description("1 while requests go to an upstream as they come, 0 while it is on trial")
            .tags("upstream", upstream.spec().id())
            .register(registry));
  }

  private int healthy() {
    return upstream.enabled() && !upstream.health().onTrial() ? 1 : 0;
  }

  private List<Quota> pools(String label) {
    return upstream.pools().entrySet().stream()
        .filter(pool -> label.equals(models.has(pool.getKey()) ? pool.getKey() : Labels.OTHER))
        .map(Map.Entry::getValue)
        .toList();
  }

  private double throttled(String label) {
    long sum = 0;
    for (Quota pool : pools(label)) {
      sum += upstream.pause(pool).throttled();
    }
    return sum;
  }

  /** What is furthest off; not a number while the provider has said nothing. */
  private double drift(String label, Measure measure) {
    double most = Double.NaN;
    for (Quota pool : pools(label)) {
      for (Metered metered : pool.limits()) {
        Learned learned = metered.limit().learned(ticker.nanos());
        if (metered.measure() == measure
            && learned != null
            && !(Math.abs(learned.drift()) <= Math.abs(most))) {
          most = learned.drift();
        }
      }
    }
    return most;
  }

  /** All pools without a label of their own show as one: the fullest of them. */
  private double utilization(String label, ToDoubleBiFunction<Quota, Long> of) {
    long now = ticker.nanos();
    double most = 0;
    for (Quota pool : pools(label)) {
      most = Math.max(most, of.applyAsDouble(pool, now));
    }
    return most;
  }

  /** Removes all meters, for good. */
  synchronized void remove() {
    removed = true;
    gauges.values().forEach(registry::remove);
  }
}
