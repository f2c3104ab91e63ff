package io.penstock.endpoint;

import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All endpoints by path. Reads are safe from any thread; one at a time applies. */
public final class Registry {
  private final Endpoint.House house;
  private volatile Paths paths = new Paths(Map.of());

  /** Endpoints by path, and the length of the longest: no need to look at more of a request's. */
  private record Paths(Map<String, Endpoint> byPath, int longest) {
    Paths(Map<String, Endpoint> byPath) {
      this(Map.copyOf(byPath), byPath.keySet().stream().mapToInt(String::length).max().orElse(0));
    }
  }

  /** Makes an empty registry. */
  public Registry(Endpoint.House house) {
    this.house = house;
  }

  /**
   * Returns the endpoint of a path: its own, else that of its nearest ancestor, else null.
   *
   * @param path of a request, percent-encoded as it came, without query
   */
  public @Nullable Endpoint find(String path) {
    Paths current = paths;
    Map<String, Endpoint> endpoints = current.byPath();
    int longest = current.longest();
    int end = path.length() <= longest ? path.length() : path.lastIndexOf('/', longest);
    while (end > 1) {
      Endpoint endpoint = endpoints.get(path.substring(0, end));
      if (endpoint != null) {
        return endpoint;
      }
      end = path.lastIndexOf('/', end - 1);
    }
    return endpoints.get("/");
  }

  /** Returns all endpoints, sorted by path. */
  public Collection<Endpoint> all() {
    return new TreeMap<>(paths.byPath()).values();
  }

  /** Refuses all who wait at any endpoint, and all who come, from now on. */
  public synchronized void refuseAll(Refusal refusal) {
    paths.byPath().values().forEach(endpoint -> endpoint.refuseAll(refusal));
  }

  /**
   * Applies a configuration in one swap. Endpoints whose path stays keep their tickets, spend and
   * debt; tickets of the others are refused.
   */
  public synchronized void apply(List<EndpointSpec> specs) {
    long now = house.ticker().nanos();
    Map<String, UpstreamSpec> upstreams = new LinkedHashMap<>();
    specs.forEach(spec -> spec.upstreams().forEach(each -> upstreams.put(each.id(), each)));
    house.upstreams().apply(upstreams.values(), now);
    Map<String, Endpoint> before = paths.byPath();
    Map<String, Endpoint> next = new LinkedHashMap<>();
    for (EndpointSpec spec : specs) {
      Endpoint known = before.get(spec.path());
      if (known == null) {
        next.put(spec.path(), new Endpoint(spec, house));
      } else {
        known.reconfigure(spec);
        next.put(spec.path(), known);
      }
    }
    paths = new Paths(next);
    before.forEach(
        (path, endpoint) -> {
          if (!next.containsKey(path)) {
            endpoint.close(Refusal.of(Reason.ENDPOINT_REMOVED, "the endpoint was removed"));
          }
        });
  }
}
