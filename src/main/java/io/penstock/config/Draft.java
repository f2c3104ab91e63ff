package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A configuration in the making: what all files say together. One thread. */
final class Draft {
  private final Faults faults;
  private final List<EndpointSpec> endpoints = new ArrayList<>();
  private final Map<String, Place> paths = new HashMap<>();
  private final Map<String, Located<UpstreamSpec>> upstreams = new HashMap<>();
  private final Set<String> warnings = new LinkedHashSet<>();

  Draft(Faults faults) {
    this.faults = faults;
  }

  /** Notes that an endpoint has {@code path}; a second one is a fault. */
  void path(String path, Place place) {
    Place first = paths.putIfAbsent(path, place);
    if (first != null) {
      faults.add(
          place, "path " + Scalar.quote(path) + " is taken at " + first + ", expected another");
    }
  }

  /** Notes an upstream; one of the same id that differs is a fault. */
  void upstream(UpstreamSpec upstream, Place place) {
    Located<UpstreamSpec> first =
        upstreams.putIfAbsent(upstream.id(), new Located<>(upstream, place));
    if (first == null) {
      return;
    }
    List<String> differences = UpstreamBuilder.differences(first.value(), upstream);
    if (!differences.isEmpty()) {
      faults.add(
          place,
          "upstream '%s' differs from the one at %s in %s, expected the same or another id"
              .formatted(upstream.id(), first.place(), String.join(", ", differences)));
    }
  }

  void endpoint(EndpointSpec endpoint) {
    endpoints.add(endpoint);
  }

  void warn(Place place, String warning) {
    warnings.add(place + ": " + warning);
  }

  boolean empty() {
    return paths.isEmpty();
  }

  Snapshot finish() {
    return new Snapshot(
        endpoints.stream().sorted(Comparator.comparing(EndpointSpec::path)).toList(),
        new ArrayList<>(warnings));
  }
}
