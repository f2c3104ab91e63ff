package io.penstock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointTotals;
import io.penstock.event.Event;
import io.penstock.refusal.RefusalReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one label of endpoints: of a single path, or of all paths without a label of their
 * own. Meters that depend on events are created by the first such event and then found without
 * allocation. Safe from any thread.
 */
final class EndpointMeters {
  private static final Duration[] WAITS = {
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(15),
    Duration.ofMinutes(1),
    Duration.ofMinutes(5),
    Duration.ofMinutes(10)
  };

  /**
   * Budgets of the endpoints with labels of their own.
   *
   * @param counts for queues and counters
   * @param waits for histograms
   * @param ignored for counters of parameters that were not read
   */
  record Rooms(ScrapeBudget counts, ScrapeBudget waits, ScrapeBudget ignored) {}

  /**
   * Counters of the tokens of one upstream and model. Once everything is settled, reserved tokens
   * equal used plus refunded tokens, less debt.
   */
  private record Tokens(
      Counter reserved, Counter used, Counter refunded, Counter debt, Counter overrun) {}

  private final MeterRegistry registry;
  private final Supplier<Collection<Endpoint>> endpoints;
  private final BoundedLabels models;
  private final Rooms rooms;
  private final @Nullable Supplier<EndpointMeters> others;
  private final Tags tags;
  private final List<Meter> meters = new ArrayList<>();
  private final Map<String, Map<String, Counter>> tickets = new ConcurrentHashMap<>();
  private final Map<String, Counter> ignored = new ConcurrentHashMap<>();
  private final Map<String, Timer> waits = new ConcurrentHashMap<>();
  private final Map<String, Map<String, Tokens>> tokens = new ConcurrentHashMap<>();
  private long takenForCounts;
  private long takenForWaits;
  private long takenForIgnored;
  private boolean removed;

  private EndpointMeters(
      MeterRegistry registry,
      String label,
      Supplier<Collection<Endpoint>> endpoints,
      BoundedLabels models,
      Rooms rooms,
      @Nullable Supplier<EndpointMeters> others) {
    this.registry = registry;
    this.endpoints = endpoints;
    this.models = models;
    this.rooms = rooms;
    this.others = others;
    this.tags = Tags.of("endpoint", label);
  }

  /**
   * Creates the meters of one path; returns null if there is no room for them.
   *
   * @param endpoints supplies the endpoints to sum up, at each reading
   * @param others counts events that have no room here
   */
  static @Nullable EndpointMeters of(
      MeterRegistry registry,
      String path,
      Supplier<Collection<Endpoint>> endpoints,
      BoundedLabels models,
      Rooms rooms,
      Supplier<EndpointMeters> others) {
    EndpointMeters made = new EndpointMeters(registry, path, endpoints, models, rooms, others);
    return made.takeQueue() ? made : null;
  }

  /**
   * Creates the meters of all paths without a label of their own.
   *
   * @param scrapeBudget budget for the labels of upstreams and models
   */
  static EndpointMeters ofOthers(
      MeterRegistry registry,
      Supplier<Collection<Endpoint>> endpoints,
      BoundedLabels models,
      ScrapeBudget scrapeBudget) {
    EndpointMeters made =
        new EndpointMeters(
            registry,
            BoundedLabels.OTHER,
            endpoints,
            models,
            new Rooms(scrapeBudget, ScrapeBudget.ENDLESS, ScrapeBudget.ENDLESS),
            null);
    made.showQueue();
    return made;
  }

  private boolean takeQueue() {
    boolean room = takeCounts(ScrapeBudget.lines(4, "penstock.queue.oldest", tags));
    if (room) {
      showQueue();
    }
    return room;
  }

  private void showQueue() {
    gauge("depth", "Tickets that wait", each -> each.requests(TicketFate.WAITING));
    gauge(
        "tokens",
        "Input and expected output of those tickets",
        each -> each.tokens(TicketFate.WAITING));
    gauge("bytes", "Bytes of body that those tickets hold", each -> each.bytes(TicketFate.WAITING));
    kept(
        TimeGauge.builder("penstock.queue.oldest", this, TimeUnit.NANOSECONDS, EndpointMeters::age)
            .description("How long the ticket has waited that waits longest")
            .tags(tags)
            .register(registry));
  }

  private boolean takeCounts(long bytes) {
    boolean room = rooms.counts().take(bytes);
    takenForCounts += room ? bytes : 0;
    return room;
  }

  private boolean takeWaits(long bytes) {
    boolean room = rooms.waits().take(bytes);
    takenForWaits += room ? bytes : 0;
    return room;
  }

  private boolean takeIgnored(long bytes) {
    boolean room = rooms.ignored().take(bytes);
    takenForIgnored += room ? bytes : 0;
    return room;
  }

  private void gauge(String what, String description, ToLongFunction<EndpointTotals> value) {
    kept(
        Gauge.builder("penstock.queue." + what, this, meters -> meters.sum(value))
            .description(description)
            .tags(tags)
            .register(registry));
  }

  private double age() {
    long most = 0;
    for (Endpoint endpoint : endpoints.get()) {
      most = Math.max(most, endpoint.oldestWaitNanos());
    }
    return most;
  }

  private double sum(ToLongFunction<EndpointTotals> value) {
    long sum = 0;
    for (Endpoint endpoint : endpoints.get()) {
      sum += Math.max(0, value.applyAsLong(endpoint.totals()));
    }
    return sum;
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
      case Event.Served served -> ticket("served", BoundedLabels.NONE);
      case Event.Refused refused -> ticket("refused", refused.refusal().reason().code());
      case Event.Expired expired -> ticket("expired", RefusalReason.QUEUE_TIMEOUT.code());
      case Event.Cancelled cancelled -> ticket("cancelled", BoundedLabels.NONE);
      case Event.Returned returned -> returned(returned);
      case Event.Settled settled -> settled(settled);
      case Event.Shadowed shadowed -> shadowed(shadowed);
    }
  }

  private void released(Event.Released event) {
    waited("penstock.wait", event.waitedNanos());
    Tokens of = tokens(event.upstream(), event.model());
    if (of != null) {
      of.reserved().increment((double) event.cost().totalTokens());
    }
  }

  private void returned(Event.Returned event) {
    Tokens of = tokens(event.upstream(), event.model());
    if (of != null) {
      of.refunded().increment((double) event.reservedTokens());
    }
  }

  private void settled(Event.Settled event) {
    Tokens of = tokens(event.upstream(), event.model());
    if (of != null) {
      long more = event.usedTokens() - event.reservedTokens();
      of.used().increment((double) event.usedTokens());
      of.refunded().increment((double) Math.max(0, -more));
      of.debt().increment((double) Math.max(0, more));
      of.overrun().increment((double) event.overrunTokens());
    }
  }

  private void shadowed(Event.Shadowed event) {
    if (event.refusal() == null) {
      ticket("shadowed", BoundedLabels.NONE);
      waited("penstock.shadow.wait", event.waitedNanos());
    } else {
      ticket("shadowed", event.refusal().reason().code());
    }
  }

  private void ticket(String outcome, String reason) {
    Counter counter = counter(outcome, reason);
    if (counter != null) {
      counter.increment();
    }
  }

  private @Nullable Counter counter(String outcome, String reason) {
    Map<String, Counter> byReason = tickets.get(outcome);
    Counter known = byReason == null ? null : byReason.get(reason);
    return known != null ? known : unlessRemoved(() -> newCounter(outcome, reason));
  }

  private @Nullable Counter newCounter(String outcome, String reason) {
    Tags as = tags.and("outcome", outcome, "reason", reason);
    Supplier<EndpointMeters> others = this.others;
    boolean room = takeCounts(ScrapeBudget.lines(1, "penstock.tickets", as));
    Counter counter =
        others == null || room ? newCounter(as) : others.get().counter(outcome, reason);
    return counter == null
        ? null
        : known(tickets.computeIfAbsent(outcome, of -> new ConcurrentHashMap<>()), reason, counter);
  }

  private Counter newCounter(Tags as) {
    return kept(
        Counter.builder("penstock.tickets")
            .description("What became of tickets")
            .tags(as)
            .register(registry));
  }

  /** Counts a request with a parameter that was not read. */
  void ignored(String parameter) {
    Counter counter = ignoredCounter(parameter);
    if (counter != null) {
      counter.increment();
    }
  }

  private @Nullable Counter ignoredCounter(String parameter) {
    Counter known = ignored.get(parameter);
    return known != null ? known : unlessRemoved(() -> newIgnoredCounter(parameter));
  }

  private @Nullable Counter newIgnoredCounter(String parameter) {
    Tags as = tags.and("parameter", parameter);
    Supplier<EndpointMeters> others = this.others;
    boolean room = takeIgnored(ScrapeBudget.lines(1, "penstock.parameters.ignored", as));
    Counter counter =
        others == null || room
            ? kept(
                Counter.builder("penstock.parameters.ignored")
                    .description(
                        "Requests with a short parameter that their endpoint does not read")
                    .tags(as)
                    .register(registry))
            : others.get().ignoredCounter(parameter);
    return counter == null ? null : known(ignored, parameter, counter);
  }

  private static <M> M known(Map<String, M> by, String name, M made) {
    M before = by.putIfAbsent(name, made);
    return before == null ? made : before;
  }

  private void waited(String name, long nanos) {
    Timer timer = timer(name);
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private @Nullable Timer timer(String name) {
    Timer known = waits.get(name);
    return known != null ? known : unlessRemoved(() -> newTimer(name));
  }

  private @Nullable Timer newTimer(String name) {
    Supplier<EndpointMeters> others = this.others;
    boolean room = takeWaits(ScrapeBudget.histogram(WAITS.length, name, tags));
    Timer timer = others == null || room ? newWaits(name) : others.get().timer(name);
    return timer == null ? null : known(waits, name, timer);
  }

  private Timer newWaits(String name) {
    return kept(
        Timer.builder(name)
            .description(
                name.equals("penstock.wait")
                    ? "How long tickets waited that were let go"
                    : "How long tickets would have waited that nothing held")
            .tags(tags)
            .serviceLevelObjectives(WAITS)
            .register(registry));
  }

  private @Nullable Tokens tokens(@Nullable String upstream, @Nullable String model) {
    String to = upstream == null ? BoundedLabels.NONE : upstream;
    String of = models.of(model);
    Map<String, Tokens> byModel = tokens.get(to);
    Tokens known = byModel == null ? null : byModel.get(of);
    return known != null ? known : unlessRemoved(() -> newTokens(to, of));
  }

  private @Nullable Tokens newTokens(String upstream, String model) {
    Tags where = tags.and("upstream", upstream, "model", model);
    Tokens made;
    long size =
        ScrapeBudget.lines(4, "penstock.tokens", where.and("kind", "reserved"))
            + ScrapeBudget.lines(1, "penstock.overrun.tokens", where);
    if (takeCounts(size)) {
      made = newTokens(where);
    } else if (others != null) {
      made = others.get().tokens(upstream, model);
    } else {
      made = newTokens(tags.and("upstream", BoundedLabels.OTHER, "model", BoundedLabels.OTHER));
    }
    return made == null
        ? null
        : known(tokens.computeIfAbsent(upstream, to -> new ConcurrentHashMap<>()), model, made);
  }

  /** Creates the counters; the registry returns the same meter for equal name and tags. */
  private Tokens newTokens(Tags where) {
    return new Tokens(
        tokens("reserved", where),
        tokens("used", where),
        tokens("refunded", where),
        tokens("debt", where),
        overrun(where));
  }

  private Counter tokens(String kind, Tags where) {
    return kept(
        Counter.builder("penstock.tokens")
            .description(
                "Tokens: reserved at release, used, refunded for not being used, and debt: used"
                    + " beyond what was reserved")
            .tags(where.and("kind", kind))
            .register(registry));
  }

  private Counter overrun(Tags where) {
    return kept(
        Counter.builder("penstock.overrun.tokens")
            .description("Tokens that were used above what a limit had reserved")
            .tags(where)
            .register(registry));
  }

  /** Creates a meter, unless this object was removed: it would never be removed then. */
  private synchronized <T> @Nullable T unlessRemoved(Supplier<@Nullable T> make) {
    return removed ? null : make.get();
  }

  /** Removes all meters; later events are not counted. */
  synchronized void remove() {
    removed = true;
    meters.forEach(registry::remove);
    meters.clear();
    rooms.counts().give(takenForCounts);
    rooms.waits().give(takenForWaits);
    rooms.ignored().give(takenForIgnored);
  }
}
