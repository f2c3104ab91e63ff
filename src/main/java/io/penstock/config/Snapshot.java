package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import java.util.List;

/**
 * A whole configuration, checked, every default filled in. Immutable.
 *
 * @param endpoints sorted by path, no path twice
 * @param warnings one line each, {@code FILE:LINE:COL: text}, without secrets
 */
public record Snapshot(List<EndpointSpec> endpoints, List<String> warnings) {
  public Snapshot {
    endpoints = List.copyOf(endpoints);
    warnings = List.copyOf(warnings);
  }
}
