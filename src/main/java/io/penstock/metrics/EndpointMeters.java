package io.penstock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Totals;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.refusal.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one label of endpoints: of one path, or of all that have none of their own. Those
 * that depend on what happens are made when it first does, and found without making anything from
 * then on. Safe from any thread.
 */
final class EndpointMeters {
  private static final Duration[] WAITS = {
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofMillis(2500),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(2),
    Duration.ofMinutes(5),
    Duration.ofMinutes(10)
  };

  /** Tokens that went one way. */
  private record Tokens(Counter reserved, Counter used, Counter overrun) {}

  private static final double[] RATIOS = {0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.4, 2};

  private final MeterRegistry registry;
  private final Supplier<Collection<Endpoint>> endpoints;
  private final Labels models;
  private final Tags tags;
  private final List<Meter> meters = new ArrayList<>();
  private final Counter served;
  private final Counter cancelled;
  private final Counter expired;
  private final Timer wait;
  private final Map<Reason, Counter> refused = new ConcurrentHashMap<>();
  private final Map<String, Counter> shadowed = new ConcurrentHashMap<>();
  private volatile @Nullable Timer shadowWait;
  private final Map<String, Map<String, Tokens>> tokens = new ConcurrentHashMap<>();
  private final Map<String, DistributionSummary> estimates = new ConcurrentHashMap<>();
  private boolean removed;

  /**
   * Makes the meters.
   *
   * @param label the endpoint's path, or what they go by together
   * @param endpoints those whose queues are summed up, asked each time
   */
  EndpointMeters(
      MeterRegistry registry,
      String label,
      Supplier<Collection<Endpoint>> endpoints,
      Labels models) {
    this.registry = registry;
    this.endpoints = endpoints;
    this.models = models;
    this.tags = Tags.of("endpoint", label);
    this.served = tickets("served", Labels.NONE);
    this.cancelled = tickets("cancelled", Labels.NONE);
    this.expired = tickets("expired", Reason.QUEUE_TIMEOUT.code());
    this.wait = waits("penstock.wait", "How long tickets waited that were let go");
    gauge("depth", "Tickets that wait", each -> each.requests(Fate.WAITING));
    gauge(
        "tokens", "Input and expected output of those tickets", each -> each.tokens(Fate.WAITING));
    gauge("bytes", "Bytes of body that those tickets hold", each -> each.bytes(Fate.WAITING));
  }

  private void gauge(String what, String description, ToLongFunction<Totals> value) {
    kept(
        Gauge.builder("penstock.queue." + what, this, meters -> meters.sum(value))
            .description(description)
            .tags(tags)
            .register(registry));
  }

  private double sum(ToLongFunction<Totals> value) {
    long sum = 0;
    for (Endpoint endpoint : endpoints.get()) {
      sum += Math.max(0, value.applyAsLong(endpoint.totals()));
    }
    return sum;
  }

  private Timer waits(String name, String description) {
    return kept(
        Timer.builder(name)
            .description(description)
            .tags(tags)
            .serviceLevelObjectives(WAITS)
            .register(registry));
  }

  private Counter tickets(String outcome, String reason) {
    return kept(
        Counter.builder("penstock.tickets")
            .description("What became of tickets")
            .tags(tags.and("outcome", outcome, "reason", reason))
            .register(registry));
  }

  private <M extends Meter> M kept(M meter) {
    meters.add(meter);
    return meter;
  }

  /** Counts an event of the endpoint. */
  void count(Event.TicketEvent event) {
    switch (event) {
      case Event.Queued queued -> {}
      case Event.Released released -> released(released);
      case Event.Served once -> served.increment();
      case Event.Refused once -> refused(once.refusal().reason());
      case Event.Expired once -> expired.increment();
      case Event.Cancelled once -> cancelled.increment();
      case Event.Settled settled -> settled(settled);
      case Event.Shadowed once -> shadowed(once);
    }
  }

  private void released(Event.Released event) {
    wait.record(Duration.ofNanos(event.waitedNanos()));
    Tokens of = tokens(event.upstream(), event.model());
    if (of != null) {
      of.reserved().increment((double) event.cost().totalTokens());
    }
  }

  private void settled(Event.Settled event) {
    Tokens of = tokens(event.upstream(), event.model());
    if (of != null) {
      of.used().increment((double) event.usedTokens());
      of.overrun().increment((double) event.overrunTokens());
    }
  }

  /** Records how far an estimate was off: what was used ÷ what was expected. */
  void estimated(Event.Estimated event) {
    String model = models.of(event.model());
    DistributionSummary known = estimates.get(model);
    DistributionSummary of = known != null ? known : unlessRemoved(() -> newEstimates(model));
    if (of != null && event.expectedTokens() > 0) {
      of.record((double) event.usedTokens() / (double) event.expectedTokens());
    }
  }

  private DistributionSummary newEstimates(String model) {
    return estimates.computeIfAbsent(
        model,
        absent ->
            kept(
                DistributionSummary.builder("penstock.estimate.error.ratio")
                    .description("Input tokens that were used, for each that was expected")
                    .tags(tags.and("model", absent))
                    .serviceLevelObjectives(RATIOS)
                    .register(registry)));
  }

  private void shadowed(Event.Shadowed event) {
    String reason = event.refusal() == null ? Labels.NONE : event.refusal().reason().code();
    Counter known = shadowed.get(reason);
    Counter counter = known != null ? known : unlessRemoved(() -> newShadowed(reason));
    if (counter != null) {
      counter.increment();
    }
    Timer wait = event.refusal() == null ? shadowWait() : null;
    if (wait != null) {
      wait.record(Duration.ofNanos(event.waitedNanos()));
    }
  }

  private Counter newShadowed(String reason) {
    return shadowed.computeIfAbsent(reason, absent -> tickets("shadowed", absent));
  }

  private @Nullable Timer shadowWait() {
    Timer known = shadowWait;
    return known != null ? known : unlessRemoved(this::newShadowWait);
  }

  private Timer newShadowWait() {
    Timer made = shadowWait;
    if (made == null) {
      made = waits("penstock.shadow.wait", "How long tickets would have waited that nothing held");
      shadowWait = made;
    }
    return made;
  }

  private void refused(Reason reason) {
    Counter known = refused.get(reason);
    Counter counter = known != null ? known : unlessRemoved(() -> newRefused(reason));
    if (counter != null) {
      counter.increment();
    }
  }

  private Counter newRefused(Reason reason) {
    return refused.computeIfAbsent(reason, absent -> tickets("refused", absent.code()));
  }

  private @Nullable Tokens tokens(@Nullable String upstream, @Nullable String model) {
    String to = upstream == null ? Labels.NONE : upstream;
    String of = models.of(model);
    Map<String, Tokens> byModel = tokens.get(to);
    Tokens known = byModel == null ? null : byModel.get(of);
    return known != null ? known : unlessRemoved(() -> newTokens(to, of));
  }

  private Tokens newTokens(String upstream, String model) {
    Tags where = tags.and("upstream", upstream, "model", model);
    return tokens
        .computeIfAbsent(upstream, absent -> new ConcurrentHashMap<>())
        .computeIfAbsent(
            model,
            absent -> new Tokens(tokens("reserved", where), tokens("used", where), overrun(where)));
  }

  private Counter tokens(String kind, Tags where) {
    return kept(
        Counter.builder("penstock.tokens")
            .description("Tokens that were expected at release, and that were used")
            .tags(where.and("kind", kind))
            .register(registry));
  }

  private Counter overrun(Tags where) {
    return kept(
        Counter.builder("penstock.overrun.tokens")
            .description("Tokens that were used above what had been reserved")
            .tags(where)
            .register(registry));
  }

  /** What is made after the end would never be removed. */
  private synchronized <T> @Nullable T unlessRemoved(Supplier<T> make) {
    return removed ? null : make.get();
  }

  /** Removes all meters; events that still come count nowhere. */
  synchronized void remove() {
    removed = true;
    meters.forEach(registry::remove);
    meters.clear();
  }
}
