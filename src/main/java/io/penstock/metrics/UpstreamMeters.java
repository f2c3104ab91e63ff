package io.penstock.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LearnedLimit;
import io.penstock.pool.Addition;
import io.penstock.pool.ProbeResult;
import io.penstock.pool.Upstream;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToLongBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of an upstream, or of all upstreams that share a label. For each model: utilization of
 * its limits, deviation from the provider's statements, and number of refusals; for the upstream:
 * its health, its account, the models it lost, and its probes. Safe from any thread.
 */
final class UpstreamMeters {
  private static final String DRIFT = "penstock.upstream.drift.ratio";

  private final MeterRegistry registry;
  private final String label;
  private final Supplier<Collection<Upstream>> upstreams;
  private final BoundedLabels models;
  private final ScrapeBudget scrapeBudget;
  private final Ticker ticker;
  private final List<Meter> meters = new ArrayList<>();

  /** Labels of models, by the models' names. */
  private final Map<String, String> shown = new ConcurrentHashMap<>();

  private long taken;
  private boolean removed;

  private UpstreamMeters(
      MeterRegistry registry,
      String label,
      Supplier<Collection<Upstream>> upstreams,
      BoundedLabels models,
      ScrapeBudget scrapeBudget,
      Ticker ticker) {
    this.registry = registry;
    this.label = label;
    this.upstreams = upstreams;
    this.models = models;
    this.scrapeBudget = scrapeBudget;
    this.ticker = ticker;
  }

  /**
   * Creates the meters of a label; returns null if there is no room for them.
   *
   * @param upstreams supplies the upstreams with the label, at each reading
   * @param models models with labels of their own
   */
  static @Nullable UpstreamMeters of(
      MeterRegistry registry,
      String label,
      Supplier<Collection<Upstream>> upstreams,
      BoundedLabels models,
      ScrapeBudget scrapeBudget,
      Ticker ticker) {
    UpstreamMeters made =
        new UpstreamMeters(registry, label, upstreams, models, scrapeBudget, ticker);
    // Reserves room for the common label, so that all models can use it later.
    if (!made.take(
        made.size(BoundedLabels.OTHER)
            + ScrapeBudget.lines(
                5 + ProbeResult.values().length, DRIFT, made.tags(BoundedLabels.NONE)))) {
      return null;
    }
    made.watch();
    return made;
  }

  /** Notes that a request was released, for {@code model} as named by the upstream. */
  void used(@Nullable String model) {
    String name = model == null ? BoundedLabels.OTHER : models.of(model);
    if (!shown.containsKey(name)) {
      add(name);
    }
  }

  private synchronized void add(String name) {
    if (removed || shown.containsKey(name)) {
      return;
    }
    boolean own = !name.equals(BoundedLabels.OTHER) && take(size(name));
    String goesBy = own ? name : BoundedLabels.OTHER;
    boolean present = shown.containsValue(goesBy);
    shown.put(name, goesBy);
    if (!present) {
      show(goesBy);
    }
  }

  private Tags tags(String model) {
    return Tags.of("upstream", label, "model", model);
  }

  private long size(String model) {
    return ScrapeBudget.lines(
        4 + LimitMeasure.values().length, DRIFT, tags(model).and("measure", "output_tokens"));
  }

  private boolean take(long bytes) {
    boolean fits = scrapeBudget.take(bytes);
    taken += fits ? bytes : 0;
    return fits;
  }

  private void show(String model) {
    meters.add(used(model, "local", Quota::utilization));
    meters.add(used(model, "global", Quota::globalUtilization));
    meters.add(
        counter("penstock.upstream.throttled", model, (of, pool) -> of.pause(pool).throttled())
            .description("Answers of an upstream that were 429")
            .register(registry));
    meters.add(
        counter(
                "penstock.upstream.usage.refused",
                model,
                (of, pool) -> of.refusals(pool, Addition.STREAM_USAGE))
            .description(
                "How often streams stopped being asked for their usage because that was refused")
            .register(registry));
    for (LimitMeasure limitMeasure : LimitMeasure.values()) {
      meters.add(
          Gauge.builder(DRIFT, this, each -> each.drift(model, limitMeasure))
              .description(
                  "How much more was believed to be left than the provider said, in limits")
              .tags(tags(model))
              .tag("measure", limitMeasure.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
  }

  private Gauge used(String model, String scope, ToDoubleBiFunction<Quota, Long> of) {
    return Gauge.builder("penstock.utilization", this, each -> each.utilization(model, of))
        .description("The fullest limit of an upstream for a model, 0 to 1")
        .tags(tags(model).and("scope", scope))
        .register(registry);
  }

  private synchronized void watch() {
    meters.add(
        Gauge.builder("penstock.upstream.healthy", this, UpstreamMeters::healthy)
            .description("1 while requests go to an upstream as they come, 0 while it is on trial")
            .tags("upstream", label)
            .register(registry));
    meters.add(
        Gauge.builder("penstock.upstream.account.refused", this, UpstreamMeters::refusedAccounts)
            .description(
                "1 while an upstream is unhealthy because its provider refuses the account, else 0")
            .tags("upstream", label)
            .register(registry));
    meters.add(
        Gauge.builder("penstock.upstream.models.lost", this, UpstreamMeters::lostModels)
            .description("Models that an upstream has served and does not know any more")
            .tags("upstream", label)
            .register(registry));
    meters.add(
        FunctionCounter.builder("penstock.upstream.ceiling.raised", this, UpstreamMeters::raised)
            .description(
                "How often a limit that refusals had lowered was raised to see what is allowed")
            .tags("upstream", label)
            .register(registry));
    meters.add(
        FunctionCounter.builder("penstock.upstream.addition.refused", this, UpstreamMeters::refused)
            .description("How often something that was added was left out because it was refused")
            .tags("upstream", label)
            .register(registry));
    for (ProbeResult result : ProbeResult.values()) {
      meters.add(
          FunctionCounter.builder("penstock.upstream.probes", this, each -> each.probes(result))
              .description("Probes of an upstream while it was unhealthy, by their result")
              .tags("upstream", label, "result", result.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
  }

  private double raised() {
    long now = ticker.nanos();
    return upstreams.get().stream()
        .flatMap(each -> each.pools().values().stream())
        .flatMap(pool -> pool.limits().stream())
        .mapToLong(metered -> metered.limit().feedback().raises(now))
        .sum();
  }

  private long refused() {
    long refused = 0;
    for (Upstream upstream : upstreams.get()) {
      for (Quota pool : upstream.pools().values()) {
        for (Addition each : Addition.values()) {
          refused += upstream.refusals(pool, each);
        }
      }
    }
    return refused;
  }

  private long probes(ProbeResult result) {
    return upstreams.get().stream().mapToLong(each -> each.probes(result)).sum();
  }

  private int refusedAccounts() {
    return upstreams.get().stream().anyMatch(each -> each.accountRefusal() != null) ? 1 : 0;
  }

  private long lostModels() {
    return upstreams.get().stream().mapToLong(Upstream::lostModels).sum();
  }

  private int healthy() {
    return upstreams.get().stream().allMatch(each -> each.enabled() && !each.health().onTrial())
        ? 1
        : 0;
  }

  /** Returns the pools of a label; those without a label of their own share one. */
  private List<Quota> pools(Upstream upstream, String model) {
    Set<String> own = new HashSet<>(shown.values());
    own.remove(BoundedLabels.OTHER);
    return upstream.pools().entrySet().stream()
        .filter(
            pool -> model.equals(own.contains(pool.getKey()) ? pool.getKey() : BoundedLabels.OTHER))
        .map(Map.Entry::getValue)
        .toList();
  }

  private List<Quota> pools(String model) {
    return upstreams.get().stream().flatMap(each -> pools(each, model).stream()).toList();
  }

  private FunctionCounter.Builder<UpstreamMeters> counter(
      String name, String model, ToLongBiFunction<Upstream, Quota> of) {
    return FunctionCounter.builder(name, this, each -> each.sum(model, of)).tags(tags(model));
  }

  private double sum(String model, ToLongBiFunction<Upstream, Quota> of) {
    long sum = 0;
    for (Upstream upstream : upstreams.get()) {
      for (Quota pool : pools(upstream, model)) {
        sum += of.applyAsLong(upstream, pool);
      }
    }
    return sum;
  }

  /** Returns the drift of the largest magnitude; NaN while the provider has stated nothing. */
  private double drift(String model, LimitMeasure limitMeasure) {
    double most = Double.NaN;
    for (Quota pool : pools(model)) {
      for (MeteredLimit metered : pool.limits()) {
        LearnedLimit learnedLimit = metered.limit().feedback().learned(ticker.nanos());
        if (metered.measure() == limitMeasure
            && learnedLimit != null
            && !(Math.abs(learnedLimit.drift()) <= Math.abs(most))) {
          most = learnedLimit.drift();
        }
      }
    }
    return most;
  }

  /** Returns the utilization of the fullest pool with the label. */
  private double utilization(String model, ToDoubleBiFunction<Quota, Long> of) {
    long now = ticker.nanos();
    double most = 0;
    for (Quota pool : pools(model)) {
      most = Math.max(most, of.applyAsDouble(pool, now));
    }
    return most;
  }

  /** Removes all meters permanently. */
  synchronized void remove() {
    removed = true;
    meters.forEach(registry::remove);
    meters.clear();
    scrapeBudget.give(taken);
  }
}
