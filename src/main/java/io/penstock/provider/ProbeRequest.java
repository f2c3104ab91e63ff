package io.penstock.provider;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.UpstreamSpec;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The smallest request that a client could send to an endpoint: one word of input and one token of
 * output. For a permit endpoint or an unknown dialect it is a GET of the endpoint's path.
 *
 * @param method the HTTP method
 * @param path raw, including the query, if any
 * @param headers headers in addition to those of every request
 * @param json the body, or null
 */
public record ProbeRequest(
    String method, String path, Map<String, String> headers, @Nullable String json) {
  private static final String VERSIONED = ".*/v[0-9]+[a-z]*/?";

  /**
   * Returns the request for an endpoint; it asks for {@code model}, or, if null, for a model that
   * the endpoint serves.
   */
  public static ProbeRequest of(EndpointSpec spec, @Nullable String model) {
    ProviderProtocol protocol = ProviderProtocol.of(spec.reading().dialect());
    if (spec.permit() || !protocol.readsBodies()) {
      return new ProbeRequest("GET", spec.path(), Map.of(), null);
    }
    String named = named(spec, model, protocol.smallModel());
    return new ProbeRequest(
        "POST",
        (spec.path().equals("/") ? "" : spec.path())
            + (versioned(spec) ? "" : protocol.version())
            + protocol.smallestPath(named),
        protocol.headers(),
        JsonMapper.shared().writeValueAsString(protocol.smallestBody(named)));
  }

  /**
   * Returns the smallest body of a chat.
   *
   * @param maximum the member that states the most tokens of output
   */
  public static Map<String, Object> messages(String model, String maximum) {
    return Map.of(
        "model", model, maximum, 1, "messages", List.of(Map.of("role", "user", "content", "Hi")));
  }

  /** Returns whether the path or URL in front of a call already contains the version. */
  private static boolean versioned(EndpointSpec spec) {
    if (!spec.forwarding().stripPrefix()) {
      return spec.path().matches(VERSIONED);
    }
    for (UpstreamSpec each : spec.upstreams()) {
      URI url = each.url();
      String path = url.getPath();
      if (path != null && path.matches(VERSIONED)) {
        return true;
      }
    }
    return false;
  }

  private static String named(EndpointSpec spec, @Nullable String model, String usual) {
    if (model != null) {
      return model;
    }
    for (UpstreamSpec each : spec.upstreams()) {
      if (!each.models().isEmpty()) {
        return new TreeSet<>(each.models().keySet()).first();
      }
    }
    return usual;
  }
}
