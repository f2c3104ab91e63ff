package io.penstock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts events, and shows the state of queues and upstreams. Listens to all events; safe from any
 * thread. Meters of an endpoint or upstream that is no longer configured vanish with the reload.
 *
 * <p>The size of a scrape is bounded, whatever is configured and whatever clients send: there is a
 * budget in bytes, and meters that exceed it are counted under {@code other}. Dynamic endpoints are
 * created by clients: the first of their paths, up to a maximum, become permanent labels.
 */
public final class GatewayMeters implements EventSink {
  /** Maximum number of models with labels of their own. */
  public static final int MAX_MODELS = 100;

  /** Maximum number of paths of dynamic endpoints with labels of their own. */
  public static final int MAX_DYNAMIC = 100;

  private static final int KIB = 1024;

  /** Budget of the queues and counters of endpoints, enough for a thousand. */
  private static final int COUNTS = 1_080 * KIB;

  /** Budget of the histograms of waiting times, enough for five hundred endpoints. */
  private static final int WAITS = 560 * KIB;

  /** Budget of the counters of parameters that were not read, enough for about a hundred. */
  private static final int IGNORED = 14 * KIB;

  /** Budget for the models of endpoints, or of upstreams, that have no label of their own. */
  private static final int OTHERS = 32 * KIB;

  private static final int MODELS = 160 * KIB;
  private static final int UPSTREAMS = 100 * KIB;

  private final MeterRegistry meters;
  private final EndpointRegistry endpointRegistry;
  private final UpstreamRegistry upstreamRegistry;
  private final Ticker ticker;
  private final @Nullable TraceExemplars traceExemplars;
  private final BoundedLabels models = new BoundedLabels(MAX_MODELS);
  private final BoundedLabels pools = new BoundedLabels(MAX_MODELS);
  private final BoundedLabels paths = new BoundedLabels(MAX_DYNAMIC);
  private final EndpointMeters.Rooms rooms =
      new EndpointMeters.Rooms(
          new ScrapeBudget(COUNTS), new ScrapeBudget(WAITS), new ScrapeBudget(IGNORED));
  private final ScrapeBudget ofUpstreams = new ScrapeBudget(UPSTREAMS);
  private final Object othersLock = new Object();
  private volatile @Nullable EndpointMeters others;
  private @Nullable UpstreamMeters otherUpstreams;
  private final Map<String, Known> byPath = new ConcurrentHashMap<>();
  private final Map<String, KnownUpstream> byUpstream = new ConcurrentHashMap<>();
  private final ModelMeters byModel;

  /** Whether the route files were refused when they were read last. */
  private volatile boolean stale;

  private final Counter applied;
  private final Counter refused;

  /**
   * The meters of a path.
   *
   * @param endpoint the endpoint for which they were created
   * @param own whether no other path shares them
   */
  private record Known(Endpoint endpoint, EndpointMeters meters, boolean own) {}

  /** The same for an upstream; without meters if there is no room at all. */
  private record KnownUpstream(Upstream upstream, @Nullable UpstreamMeters meters, boolean own) {}

  /**
   * Creates the meters of all present endpoints; a reload adds those of new ones.
   *
   * @param traceExemplars the source of the registry's exemplars, or null when it supports none
   */
  public GatewayMeters(
      MeterRegistry meters,
      EndpointRegistry endpointRegistry,
      UpstreamRegistry upstreamRegistry,
      Ticker ticker,
      @Nullable TraceExemplars traceExemplars) {
    this.traceExemplars = traceExemplars;
    this.meters = meters;
    this.endpointRegistry = endpointRegistry;
    this.upstreamRegistry = upstreamRegistry;
    this.ticker = ticker;
    this.byModel =
        new ModelMeters(meters, models, new BoundedLabels(MAX_MODELS), new ScrapeBudget(MODELS));
    this.applied = reloads("applied");
    this.refused = reloads("refused");
    Gauge.builder("penstock.config.stale", this, each -> each.stale ? 1 : 0)
        .description("1 while the routes on disk have a fault, and others run")
        .register(meters);
    Gauge.builder("penstock.tickets.without.request", endpointRegistry, GatewayMeters::orphans)
        .description("Tickets that hold slots and amounts although their request has ended")
        .register(meters);
    follow();
  }

  private static double orphans(EndpointRegistry endpoints) {
    return endpoints.all().stream().mapToLong(each -> each.totals().withoutRequest()).sum();
  }

  private Counter reloads(String result) {
    return Counter.builder("penstock.config.reloads")
        .description("What came of reading the routes again")
        .tag("result", result)
        .register(meters);
  }

  @Override
  public void publish(Event event) {
    switch (event) {
      case Event.Reloaded(long at, boolean now, String detail) -> {
        (now ? applied : refused).increment();
        stale = !now;
        if (now) {
          follow();
        }
      }
      case Event.Estimated estimated -> byModel.estimated(estimated);
      case Event.Called called -> byModel.called(called);
      case Event.FirstOutput first -> byModel.began(first);
      case Event.ParametersIgnored ignored -> {
        EndpointMeters endpoint = of(ignored.endpoint());
        if (endpoint != null) {
          ignored.parameters().forEach(endpoint::ignored);
        }
      }
      case Event.Synced synced -> {}
      case Event.BudgetUsed budget -> {}
      case Event.Operated operated -> {}
      case Event.TicketEvent ticket -> {
        if (traceExemplars == null) {
          count(ticket);
        } else {
          traceExemplars.counting(ticket.ticket(), () -> count(ticket));
        }
      }
    }
  }

  private void count(Event.TicketEvent event) {
    EndpointMeters endpoint = of(event.endpoint());
    if (endpoint != null) {
      endpoint.count(event);
    }
    if (event instanceof Event.Released released && released.upstream() != null) {
      used(released.upstream(), released.model());
    }
  }

  private void used(String id, @Nullable String model) {
    KnownUpstream known = byUpstream.get(id);
    KnownUpstream upstream = known == null ? addUpstream(id) : known;
    if (upstream != null && upstream.meters() != null) {
      upstream.meters().used(model == null ? null : upstream.upstream().spec().ownName(model));
    }
  }

  /**
   * Returns the meters of a path. Creates them if needed, because an endpoint may work before the
   * event of its reload arrives; an endpoint that is gone gets none.
   */
  private @Nullable EndpointMeters of(String path) {
    Known known = byPath.get(path);
    if (known != null) {
      return known.meters();
    }
    Endpoint endpoint = endpointRegistry.find(path);
    if (endpoint == null || !endpoint.path().equals(path)) {
      return null;
    }
    return endpoint.spec().isDynamic() && !paths.of(path).equals(path) ? others() : add(endpoint);
  }

  private EndpointMeters others() {
    EndpointMeters known = others;
    return known == null ? madeOthers() : known;
  }

  /**
   * Creates the shared meters. Uses a lock of its own, because callers may hold the lock of an
   * endpoint's meters.
   */
  private EndpointMeters madeOthers() {
    synchronized (othersLock) {
      EndpointMeters made = others;
      if (made == null) {
        made = EndpointMeters.ofOthers(meters, this::unlabelled, models, new ScrapeBudget(OTHERS));
        others = made;
      }
      return made;
    }
  }

  private synchronized EndpointMeters add(Endpoint endpoint) {
    String path = endpoint.path();
    return byPath.computeIfAbsent(path, absent -> known(endpoint, path)).meters();
  }

  private Known known(Endpoint endpoint, String path) {
    EndpointMeters own =
        EndpointMeters.of(meters, path, () -> endpointsAt(path), models, rooms, this::others);
    return own == null ? new Known(endpoint, others(), false) : new Known(endpoint, own, true);
  }

  private List<Endpoint> endpointsAt(String path) {
    Endpoint endpoint = endpointRegistry.find(path);
    return endpoint == null || !endpoint.path().equals(path) ? List.of() : List.of(endpoint);
  }

  private List<Endpoint> unlabelled() {
    return endpointRegistry.all().stream().filter(each -> !hasOwn(each.path())).toList();
  }

  private boolean hasOwn(String path) {
    Known known = byPath.get(path);
    return known != null && known.own();
  }

  private synchronized @Nullable KnownUpstream addUpstream(String id) {
    KnownUpstream known = byUpstream.get(id);
    Upstream upstream = upstreamRegistry.find(id);
    if (known != null || upstream == null) {
      return known;
    }
    UpstreamMeters own =
        UpstreamMeters.of(meters, id, () -> List.of(upstream), pools, ofUpstreams, ticker);
    KnownUpstream made =
        own == null
            ? new KnownUpstream(upstream, otherUpstreams(), false)
            : new KnownUpstream(upstream, own, true);
    byUpstream.put(id, made);
    return made;
  }

  private synchronized @Nullable UpstreamMeters otherUpstreams() {
    if (otherUpstreams == null) {
      otherUpstreams =
          UpstreamMeters.of(
              meters,
              BoundedLabels.OTHER,
              this::unlabelledUpstreams,
              pools,
              new ScrapeBudget(OTHERS),
              ticker);
    }
    return otherUpstreams;
  }

  private List<Upstream> unlabelledUpstreams() {
    return byUpstream.values().stream()
        .filter(each -> !each.own())
        .map(KnownUpstream::upstream)
        .toList();
  }

  /** Adds meters of all that is configured, and removes all others. */
  private synchronized void follow() {
    byPath
        .values()
        .removeIf(
            each -> {
              boolean removed = gone(each.endpoint());
              if (removed && each.own()) {
                each.meters().remove();
              }
              return removed;
            });
    byUpstream
        .values()
        .removeIf(
            each -> {
              boolean removed =
                  upstreamRegistry.find(each.upstream().spec().id()) != each.upstream();
              if (removed && each.own() && each.meters() != null) {
                each.meters().remove();
              }
              return removed;
            });
    endpointRegistry.all().forEach(endpoint -> of(endpoint.path()));
  }

  /**
   * Returns whether an endpoint is gone for good. A dynamic endpoint may return under its label,
   * which no other path gets.
   */
  private boolean gone(Endpoint endpoint) {
    return !paths.has(endpoint.path()) && endpointRegistry.find(endpoint.path()) != endpoint;
  }
}
