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
 * <p>Dynamic endpoints are made by clients: the first so many of their paths are labels of their
 * own, for good, and all others are one.
 */
public final class Meters implements Events {
  /** The most models that are labels of their own. */
  public static final int MAX_MODELS = 100;

  /** The most paths of dynamic endpoints that are labels of their own. */
  public static final int MAX_DYNAMIC = 100;

  private final MeterRegistry meters;
  private final Registry registry;
  private final Upstreams upstreams;
  private final Ticker ticker;
  private final Labels models = new Labels(MAX_MODELS);
  private final Labels pools = new Labels(MAX_MODELS);
  private final Labels paths = new Labels(MAX_DYNAMIC);
  private volatile @Nullable EndpointMeters others;
  private final Map<String, Known> byPath = new ConcurrentHashMap<>();
  private final Map<String, UpstreamMeters> byUpstream = new ConcurrentHashMap<>();
  private final Counter applied;
  private final Counter refused;

  /** The meters of a path, and whose they were when they were made. */
  private record Known(Endpoint endpoint, EndpointMeters meters) {}

  /** Makes meters for all endpoints there are now; later ones follow with their reload. */
  public Meters(MeterRegistry meters, Registry registry, Upstreams upstreams, Ticker ticker) {
    this.meters = meters;
    this.registry = registry;
    this.upstreams = upstreams;
    this.ticker = ticker;
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
      case Event.Estimated estimated -> {
        EndpointMeters endpoint = of(estimated.endpoint());
        if (endpoint != null) {
          endpoint.estimated(estimated);
        }
      }
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
    UpstreamMeters known = byUpstream.get(id);
    UpstreamMeters upstream = known == null ? addUpstream(id) : known;
    if (upstream != null) {
      upstream.used(model);
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

  private synchronized EndpointMeters madeOthers() {
    EndpointMeters made = others;
    if (made == null) {
      made = new EndpointMeters(meters, Labels.OTHER, this::unlabelled, models);
      others = made;
    }
    return made;
  }

  private synchronized EndpointMeters add(Endpoint endpoint) {
    String path = endpoint.path();
    return byPath
        .computeIfAbsent(
            path,
            absent ->
                new Known(
                    endpoint, new EndpointMeters(meters, path, () -> endpointsAt(path), models)))
        .meters();
  }

  private List<Endpoint> endpointsAt(String path) {
    Endpoint endpoint = registry.find(path);
    return endpoint == null || !endpoint.path().equals(path) ? List.of() : List.of(endpoint);
  }

  private List<Endpoint> unlabelled() {
    return registry.dynamic().stream().filter(each -> !byPath.containsKey(each.path())).toList();
  }

  private synchronized @Nullable UpstreamMeters addUpstream(String id) {
    UpstreamMeters known = byUpstream.get(id);
    Upstream upstream = upstreams.find(id);
    if (known != null || upstream == null) {
      return known;
    }
    UpstreamMeters made = new UpstreamMeters(meters, upstream, pools, ticker);
    byUpstream.put(id, made);
    return made;
  }

  /** Has meters for what is configured, and for nothing else. */
  private synchronized void follow() {
    byPath
        .values()
        .removeIf(
            each -> {
              boolean gone = gone(each.endpoint());
              if (gone) {
                each.meters().remove();
              }
              return gone;
            });
    byUpstream
        .values()
        .removeIf(
            each -> {
              boolean gone = upstreams.find(each.upstream().spec().id()) != each.upstream();
              if (gone) {
                each.remove();
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
