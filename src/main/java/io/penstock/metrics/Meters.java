package io.penstock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Registry;
import io.penstock.event.Event;
import io.penstock.event.Events;
import io.penstock.pool.Upstream;
import io.penstock.pool.Upstreams;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens, and shows what waits. A listener of all events; safe from any thread. Meters
 * of an endpoint or upstream that is not configured any more vanish with the reload.
 *
 * <p>What is scraped is bounded, whatever is configured and whatever clients send: there is so much
 * room, in bytes, and what finds none is counted under {@code other}. Dynamic endpoints are made by
 * clients: the first so many of their paths are labels of their own, for good.
 */
public final class Meters implements Events {
  /** The most models that are labels of their own. */
  public static final int MAX_MODELS = 100;

  /** The most paths of dynamic endpoints that are labels of their own. */
  public static final int MAX_DYNAMIC = 100;

  private static final int KIB = 1024;

  /** Of queues and counters of endpoints: of a thousand. */
  private static final int COUNTS = 1_050 * KIB;

  /** Of the waits of endpoints: of five hundred. */
  private static final int WAITS = 600 * KIB;

  /** Of the tokens of endpoints that have no label. */
  private static final int OTHERS = 32 * KIB;

  private static final int MODELS = 160 * KIB;
  private static final int UPSTREAMS = 120 * KIB;

  private final MeterRegistry meters;
  private final Registry registry;
  private final Upstreams upstreams;
  private final Ticker ticker;
  private final Labels models = new Labels(MAX_MODELS);
  private final Labels pools = new Labels(MAX_MODELS);
  private final Labels paths = new Labels(MAX_DYNAMIC);
  private final EndpointMeters.Rooms rooms =
      new EndpointMeters.Rooms(new Room(COUNTS), new Room(WAITS));
  private final Room ofUpstreams = new Room(UPSTREAMS);
  private final Object othersLock = new Object();
  private volatile @Nullable EndpointMeters others;
  private @Nullable UpstreamMeters otherUpstreams;
  private final Map<String, Known> byPath = new ConcurrentHashMap<>();
  private final Map<String, KnownUpstream> byUpstream = new ConcurrentHashMap<>();
  private final ModelMeters byModel;
  private final Counter applied;
  private final Counter refused;

  /** The meters of a path, whose they were when they were made, and if they are its alone. */
  private record Known(Endpoint endpoint, EndpointMeters meters, boolean own) {}

  /** The same of an upstream; null where there is no room at all. */
  private record KnownUpstream(Upstream upstream, @Nullable UpstreamMeters meters, boolean own) {}

  /** Makes meters for all endpoints there are now; later ones follow with their reload. */
  public Meters(MeterRegistry meters, Registry registry, Upstreams upstreams, Ticker ticker) {
    this.meters = meters;
    this.registry = registry;
    this.upstreams = upstreams;
    this.ticker = ticker;
    this.byModel = new ModelMeters(meters, models, new Room(MODELS));
    this.applied = reloads("applied");
    this.refused = reloads("refused");
    follow();
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
        if (now) {
          follow();
        }
      }
      case Event.Estimated estimated -> byModel.estimated(estimated);
      case Event.Called called -> byModel.called(called);
      case Event.Synced synced -> {}
      case Event.TicketEvent ticket -> count(ticket);
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

  /** An endpoint may be at work before its reload is over; one that is gone gets no meters. */
  private @Nullable EndpointMeters of(String path) {
    Known known = byPath.get(path);
    if (known != null) {
      return known.meters();
    }
    Endpoint endpoint = registry.find(path);
    if (endpoint == null || !endpoint.path().equals(path)) {
      return null;
    }
    return endpoint.spec().isDynamic() && !paths.of(path).equals(path) ? others() : add(endpoint);
  }

  private EndpointMeters others() {
    EndpointMeters known = others;
    return known == null ? madeOthers() : known;
  }

  /** A lock of its own: who asks may hold that of an endpoint's meters. */
  private EndpointMeters madeOthers() {
    synchronized (othersLock) {
      EndpointMeters made = others;
      if (made == null) {
        made = EndpointMeters.ofOthers(meters, this::unlabelled, models, new Room(OTHERS));
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
    Endpoint endpoint = registry.find(path);
    return endpoint == null || !endpoint.path().equals(path) ? List.of() : List.of(endpoint);
  }

  private List<Endpoint> unlabelled() {
    return registry.all().stream().filter(each -> !hasOwn(each.path())).toList();
  }

  private boolean hasOwn(String path) {
    Known known = byPath.get(path);
    return known != null && known.own();
  }

  private synchronized @Nullable KnownUpstream addUpstream(String id) {
    KnownUpstream known = byUpstream.get(id);
    Upstream upstream = upstreams.find(id);
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
              meters, Labels.OTHER, this::unlabelledUpstreams, pools, Room.ENDLESS, ticker);
    }
    return otherUpstreams;
  }

  private List<Upstream> unlabelledUpstreams() {
    return byUpstream.values().stream()
        .filter(each -> !each.own())
        .map(KnownUpstream::upstream)
        .toList();
  }

  /** Has meters for what is configured, and for nothing else. */
  private synchronized void follow() {
    byPath
        .values()
        .removeIf(
            each -> {
              boolean gone = gone(each.endpoint());
              if (gone && each.own()) {
                each.meters().remove();
              }
              return gone;
            });
    byUpstream
        .values()
        .removeIf(
            each -> {
              boolean gone = upstreams.find(each.upstream().spec().id()) != each.upstream();
              if (gone && each.own() && each.meters() != null) {
                each.meters().remove();
              }
              return gone;
            });
    registry.all().forEach(endpoint -> of(endpoint.path()));
  }

  /** A dynamic endpoint may come back under its label, which nobody else gets. */
  private boolean gone(Endpoint endpoint) {
    return !paths.has(endpoint.path()) && registry.find(endpoint.path()) != endpoint;
  }
}
