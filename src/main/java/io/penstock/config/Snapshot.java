package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole configuration, checked, every default filled in. Immutable.
 *
 * @param endpoints sorted by path, no path twice
 * @param server where a configuration of rls among the files wants the gateway to listen; null when
 *     none is one
 * @param warnings one line each, {@code FILE:LINE:COL: text}, without secrets, 200 at most
 */
public record Snapshot(
    List<EndpointSpec> endpoints, @Nullable Server server, List<String> warnings) {

  /**
   * Where to listen, unless arguments say otherwise.
   *
   * @param host an address or a name; null when it is not said
   * @param port 1 to 65535; null when it is not said
   */
  public record Server(@Nullable String host, @Nullable Integer port) {}

  public Snapshot {
    endpoints = List.copyOf(endpoints);
    warnings = List.copyOf(warnings);
  }
}
