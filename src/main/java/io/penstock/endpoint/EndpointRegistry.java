package io.penstock.endpoint;

import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.SharedState;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All endpoints by path: configured ones, and <em>dynamic</em> ones, which requests for paths below
 * those create. Safe from any thread.
 *
 * <p>Lookups take no lock. Endpoints are made and removed under one lock, and so are their limits:
 * there is never more than one for a path.
 */
public final class EndpointRegistry {
  /** Longest path of a dynamic endpoint, in characters. */
  static final int LONGEST_DYNAMIC = 1024;

  /** Time for which nothing must be in flight at a dynamic endpoint before it is reclaimed. */
  static final long IDLE_NANOS = 600_000_000_000L;

  private static final Refusal REMOVED =
      Refusal.of(RefusalReason.ENDPOINT_REMOVED, "the endpoint was removed");

  private final EndpointServices services;

  @SharedState("dynamic endpoints")
  private final ConcurrentHashMap<String, Endpoint> dynamic = new ConcurrentHashMap<>();

  private final EndpointReclaim reclaim;
  private final TicketOperations ticketOperations;
  private volatile Paths configured = new Paths(Map.of());

  /**
   * An endpoint and its configuration, which the endpoint itself has only after its inbox was
   * worked off.
   */
  private record Place(Endpoint endpoint, EndpointSpec spec) {}

  /**
   * Places by path, with the length of the longest path: no more of a request's path need be looked
   * at.
   */
  private record Paths(Map<String, Place> byPath, int longest) {
    Paths(Map<String, Place> byPath) {
      this(Map.copyOf(byPath), byPath.keySet().stream().mapToInt(String::length).max().orElse(0));
    }

    @Nullable Endpoint own(String path) {
      Place place = byPath.get(path);
      return place == null ? null : place.endpoint();
    }

    /** Returns the place of a path: its own, else that of its nearest ancestor, else null. */
    @Nullable Place nearest(String path) {
      int end = path.length() <= longest ? path.length() : path.lastIndexOf('/', longest);
      while (end > 1) {
        Place place = byPath.get(path.substring(0, end));
        if (place != null) {
          return place;
        }
        end = path.lastIndexOf('/', end - 1);
      }
      return byPath.get("/");
    }
  }

  /** Creates an empty registry. */
  public EndpointRegistry(EndpointServices services) {
    this.services = services;
    this.ticketOperations = new TicketOperations(this, services);
    this.reclaim = new EndpointReclaim(services.alarms(), this::ring);
  }

  /**
   * Returns the endpoint of a path, without making one: its own, else that of its nearest
   * configured ancestor, else null.
   *
   * @param path of a request, percent-encoded as received, without query
   */
  public @Nullable Endpoint find(String path) {
    String looked = NormalPath.of(path) instanceof NormalPath.Good(String normal) ? normal : path;
    Endpoint own = own(looked);
    Place nearest = own == null ? configured.nearest(looked) : null;
    return nearest == null ? own : nearest.endpoint();
  }

  /**
   * Returns the endpoint of a path for a request to use, or null when none serves it; creates a
   * dynamic endpoint where those are configured. The caller is counted as in flight there, so that
   * it is not reclaimed, and must {@linkplain Endpoint#leave leave} it once.
   *
   * @param path of a request, percent-encoded as received, without query
   */
  public @Nullable Endpoint enter(String path) {
    NormalPath form = NormalPath.of(path);
    String looked = form instanceof NormalPath.Good(String normal) ? normal : path;
    boolean proper = form instanceof NormalPath.Good && proper(looked);
    Endpoint own = own(looked);
    if (own == null) {
      Place nearest = configured.nearest(looked);
      if (nearest == null) {
        return null;
      }
      own = proper && room(nearest.spec()) ? null : nearest.endpoint();
    }
    return own != null && own.inFlight().enter() ? own : enterOrMake(looked, proper);
  }

  /** Returns the operations on tickets. */
  public TicketOperations tickets() {
    return ticketOperations;
  }

  /** Returns the endpoint with exactly that path, or null. */
  public @Nullable Endpoint at(String path) {
    return own(path);
  }

  /**
   * Stops or restarts the releases of the endpoint with exactly that path; returns it, or null when
   * there is none. While they are stopped it is not reclaimed.
   */
  public synchronized @Nullable Endpoint pause(String path, boolean stop) {
    Endpoint own = own(path);
    if (own != null) {
      own.pause(stop);
    }
    if (!stop && own != null && dynamic.get(path) == own) {
      reclaim.forget(own::equals);
      reclaim.lookAt(own, own.inFlight().emptySinceNanos() + IDLE_NANOS);
      reclaim.arm();
    }
    return own;
  }

  private @Nullable Endpoint own(String path) {
    Endpoint own = configured.own(path);
    return own == null ? dynamic.get(path) : own;
  }

  /**
   * Returns whether a path may have an endpoint of its own. An escaped slash is one segment to some
   * readers and two to others, so such a path may not.
   */
  private static boolean proper(String path) {
    return path.length() <= LONGEST_DYNAMIC && !path.contains("%2F");
  }

  private boolean room(EndpointSpec ancestor) {
    return ancestor.entry().descendants().dynamic()
        && dynamic.mappingCount() < ancestor.entry().descendants().most();
  }

  /** An endpoint found under the lock is not removed before it is entered. */
  private synchronized @Nullable Endpoint enterOrMake(String path, boolean proper) {
    Endpoint own = own(path);
    if (own == null) {
      Place nearest = configured.nearest(path);
      if (nearest == null) {
        return null;
      }
      own = proper && room(nearest.spec()) ? made(path, nearest.spec()) : nearest.endpoint();
    }
    if (!own.inFlight().enter()) {
      throw new IllegalStateException("endpoint " + path + " was given up and is still there");
    }
    return own;
  }

  private Endpoint made(String path, EndpointSpec ancestor) {
    Endpoint made = Endpoint.dynamic(ancestor.dynamicAt(path), services, this::emptied);
    dynamic.put(path, made);
    return made;
  }

  /** Returns all endpoints, sorted by path. */
  public Collection<Endpoint> all() {
    Map<String, Endpoint> all = new TreeMap<>(dynamic);
    configured.byPath().forEach((path, place) -> all.put(path, place.endpoint()));
    return all.values();
  }

  /** Returns the dynamic endpoints, in no particular order. */
  public Collection<Endpoint> dynamic() {
    return List.copyOf(dynamic.values());
  }

  /**
   * Gives all waiting tickets the present quotas of keys, groups and models: there may be new
   * quotas, a request may cost more than one now allows, and a key may have been revoked.
   */
  public void termsChanged() {
    configured.byPath().values().forEach(place -> place.endpoint().termsChanged());
    dynamic.values().forEach(Endpoint::termsChanged);
  }

  /** Refuses all waiting and all new tickets of all endpoints from now on. */
  public synchronized void refuseAll(Refusal refusal) {
    all().forEach(endpoint -> endpoint.refuseAll(refusal));
  }

  /**
   * Applies a configuration at once. Endpoints with a path that stays keep their tickets, charges
   * and debt; tickets of the others are refused. Dynamic endpoints follow their nearest ancestor,
   * and are removed with it.
   */
  public synchronized void apply(List<EndpointSpec> specs) {
    long now = services.ticker().nanos();
    Map<String, UpstreamSpec> upstreams = new LinkedHashMap<>();
    specs.forEach(spec -> spec.upstreams().forEach(each -> upstreams.put(each.id(), each)));
    services.upstreams().apply(upstreams.values(), now);
    Map<String, Place> next = new LinkedHashMap<>();
    for (EndpointSpec spec : specs) {
      Endpoint known = own(spec.path());
      if (known != null) {
        known.reconfigure(spec);
      }
      next.put(spec.path(), new Place(known == null ? new Endpoint(spec, services) : known, spec));
    }
    Paths before = configured;
    configured = new Paths(next);
    next.keySet().forEach(dynamic::remove);
    before
        .byPath()
        .forEach(
            (path, place) -> {
              if (!next.containsKey(path)) {
                remove(place.endpoint());
              }
            });
    dynamic.forEach(this::follow);
    reclaim.forget(endpoint -> dynamic.get(endpoint.path()) != endpoint);
    reclaim.arm();
    termsChanged(); // keys, groups and models are configured before endpoints
  }

  /**
   * Returns a stage that completes when all endpoints have done what they were told so far, so that
   * requests that come afterwards meet the configuration applied last. It may complete on the
   * thread of any endpoint, and never does if the alarms were closed.
   */
  public CompletionStage<Void> whenCaughtUp() {
    return CompletableFuture.allOf(
        all().stream().map(EndpointRegistry::caughtUp).toArray(CompletableFuture[]::new));
  }

  private static CompletableFuture<Void> caughtUp(Endpoint endpoint) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    endpoint.runAsOwner((dispatcher, at) -> done.complete(null));
    return done;
  }

  private void follow(String path, Endpoint child) {
    Place nearest = configured.nearest(path);
    if (nearest != null && nearest.spec().entry().descendants().dynamic()) {
      child.reconfigure(nearest.spec().dynamicAt(path));
    } else {
      dynamic.remove(path);
      remove(child);
    }
  }

  private void remove(Endpoint endpoint) {
    endpoint.close(REMOVED);
    if (endpoint.inFlight().giveUp()) {
      bequeath(endpoint);
    }
  }

  /** Adds the totals of a removed endpoint to those of its nearest ancestor. */
  private void bequeath(Endpoint endpoint) {
    Place heir = configured.nearest(endpoint.path());
    if (heir != null) {
      heir.endpoint().inherit(endpoint);
    }
  }

  /** Notes that nothing is in flight at a dynamic endpoint any more. */
  private synchronized void emptied(Endpoint endpoint) {
    if (endpoint.closed()) {
      if (endpoint.inFlight().giveUp()) {
        bequeath(endpoint);
      }
    } else if (dynamic.get(endpoint.path()) == endpoint) {
      reclaim.lookAt(endpoint, endpoint.inFlight().emptySinceNanos() + IDLE_NANOS);
      reclaim.arm();
    }
  }

  private synchronized void ring() {
    reclaim.rang();
    long now = services.ticker().nanos();
    for (Endpoint each = reclaim.next(now); each != null; each = reclaim.next(now)) {
      look(each, now);
    }
    reclaim.arm();
  }

  /**
   * Reclaims an endpoint if its limit has recovered. It is marked as removed before that is
   * checked: then nothing can be charged to its limit meanwhile.
   */
  private void look(Endpoint endpoint, long now) {
    InFlight inFlight = endpoint.inFlight();
    if (!inFlight.giveUp()) {
      if (inFlight.watchOn()) {
        reclaim.lookAt(endpoint, inFlight.emptySinceNanos() + IDLE_NANOS);
      }
      return;
    }
    if (endpoint.paused()) {
      inFlight.reopen(); // it is looked at again once it is resumed
      return;
    }
    long rested = Math.max(inFlight.emptySinceNanos() + IDLE_NANOS, endpoint.fullyFreeNanos(now));
    if (rested > now) {
      inFlight.reopen();
      reclaim.lookAt(endpoint, rested);
      return;
    }
    dynamic.remove(endpoint.path());
    endpoint.close(REMOVED);
    bequeath(endpoint);
  }
}
