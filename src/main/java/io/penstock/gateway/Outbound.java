package io.penstock.gateway;

import io.penstock.cost.Dialect;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.Edit;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.request.Weighed;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import tools.jackson.databind.json.JsonMapper;

/** Turns a client's request into the request for one upstream. */
final class Outbound {
  private static final JsonMapper JSON = new JsonMapper();

  private Outbound() {}

  /** Returns the URI to request at the upstream, or null when it is not a valid URI. */
  static @Nullable URI target(ServerWebExchange exchange, UpstreamSpec spec, URI base) {
    Passage passage = Passage.of(exchange);
    EndpointSpec endpoint = passage.endpoint().spec();
    String text = base.toString();
    String trimmed = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    String path = Paths.forwarded(endpoint, exchange.getRequest().getURI().getRawPath());
    String own = ownModel(passage, spec);
    String query = query(passage, spec);
    try {
      return URI.create(
          trimmed
              + (own == null ? path : passage.speech().renamed(path, own))
              + (query == null ? "" : "?" + query));
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  private static @Nullable String query(Passage passage, UpstreamSpec spec) {
    String query = passage.parameters().query();
    String credential = passage.parameters().credential();
    boolean passes = spec.access().passthrough() && passage.visitor().ownCredentials();
    boolean gemini = passage.endpoint().spec().reading().dialect() == Dialect.GEMINI;
    if (credential == null || !gemini || !passes) {
      return query;
    }
    return query == null ? credential : query + "&" + credential;
  }

  /** Returns the upstream's own name for the model, or null when the client's name can stay. */
  private static @Nullable String ownModel(Passage passage, UpstreamSpec spec) {
    String asked = passage.askedModel();
    String own = asked == null ? null : spec.ownName(asked);
    return own == null || own.equals(passage.model()) ? null : own;
  }

  /**
   * Returns the changes to a body that is in memory.
   *
   * @param asksUsage whether to ask for the usage of a stream where the client does not
   */
  static List<Edit> edits(Passage passage, UpstreamSpec spec, boolean asksUsage) {
    Weighed.Spots spots = passage.spots();
    List<Edit> edits = new ArrayList<>();
    String own = ownModel(passage, spec);
    if (own != null && spots.modelAt() >= 0) {
      edits.add(new Edit(spots.modelAt(), spots.modelLength(), JSON.writeValueAsString(own)));
    }
    if (asksUsage && spots.asksUsage() != null) {
      edits.add(spots.asksUsage());
    }
    edits.sort(Comparator.comparingLong(Edit::at));
    return edits;
  }
}
