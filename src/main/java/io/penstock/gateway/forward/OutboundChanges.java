package io.penstock.gateway.forward;

import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.request.RawPaths;
import io.penstock.gateway.request.RequestContext;
import io.penstock.json.BodyEdit;
import io.penstock.pool.Addition;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.request.MaximumPlace;
import io.penstock.provider.request.NamedModel;
import io.penstock.provider.request.StatedMaximum;
import io.penstock.provider.request.WeighedRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import tools.jackson.databind.json.JsonMapper;

/** Turns a client's request into the request for one upstream. */
final class OutboundChanges {
  private static final JsonMapper JSON = new JsonMapper();

  private OutboundChanges() {}

  /** Returns the URI to request at the upstream, or null when it is not a valid URI. */
  static @Nullable URI target(ServerWebExchange exchange, UpstreamSpec spec, URI base) {
    RequestContext requestContext = RequestContext.of(exchange);
    EndpointSpec endpoint = requestContext.endpoint().spec();
    String text = base.toString();
    String trimmed = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    String path =
        requestContext
            .upstreamProtocol()
            .versioned(
                Objects.requireNonNullElse(base.getPath(), ""),
                RawPaths.forwarded(endpoint, exchange.getRequest().getURI().getRawPath()));
    String own = ownModel(requestContext, spec);
    String query = query(requestContext, spec);
    try {
      return URI.create(
          trimmed
              + (own == null ? path : requestContext.protocol().renamed(path, own))
              + (query == null ? "" : "?" + query));
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  private static @Nullable String query(RequestContext requestContext, UpstreamSpec spec) {
    String query = requestContext.parameters().query();
    String credential = requestContext.parameters().credential();
    boolean passes = OutgoingRequest.passthrough(requestContext, spec);
    boolean reads = requestContext.upstreamProtocol().readsKeyInQuery();
    if (credential == null || !reads || !passes) {
      return query;
    }
    return query == null ? credential : query + "&" + credential;
  }

  /** Returns the upstream's own name for the model, or null when the client's name can stay. */
  private static @Nullable String ownModel(RequestContext requestContext, UpstreamSpec spec) {
    String asked = requestContext.askedModel();
    String own = asked == null ? null : spec.ownName(asked);
    return own == null || own.equals(requestContext.model()) ? null : own;
  }

  /**
   * Returns the changes to a body that is in memory; those of an attempt that asks for the usage of
   * a stream include that.
   *
   * @param withheld what is not added
   */
  static BodyChanges body(
      RequestContext requestContext, UpstreamSpec spec, Set<Addition> withheld) {
    Set<Addition> added = EnumSet.noneOf(Addition.class);
    WeighedRequest.Spots spots = requestContext.spots();
    List<BodyEdit> edits = new ArrayList<>();
    String own = ownModel(requestContext, spec);
    if (own != null && spots.modelAt() >= 0) {
      edits.add(new BodyEdit(spots.modelAt(), spots.modelLength(), JSON.writeValueAsString(own)));
    }
    for (NamedModel each : requestContext.furtherModels()) {
      String known = spec.ownName(each.name());
      if (!known.equals(each.name())) {
        edits.add(new BodyEdit(each.at(), each.length(), JSON.writeValueAsString(known)));
      }
    }
    for (StatedMaximum each : spots.maxima()) {
      if (each.tokens() > requestContext.statedOutput()) {
        String lowered = Long.toString(requestContext.statedOutput());
        edits.add(new BodyEdit(each.at(), each.length(), lowered));
      }
    }
    for (MaximumPlace each : addedMaximum(requestContext, spec, withheld)) {
      edits.add(each.stating(requestContext.addedMaximum()));
      if (!each.denied()) {
        added.add(Addition.ofMaximum(each.member()));
      }
    }
    if (requestContext.asksUsage() && spots.asksUsage() != null) {
      edits.add(spots.asksUsage());
      added.add(Addition.STREAM_USAGE);
    }
    edits.sort(Comparator.comparingLong(BodyEdit::at));
    return new BodyChanges(edits, added);
  }

  /**
   * Returns the places where the maximum of output which the key states, and the body does not, is
   * written into the body: mostly one or none. All negative numbers are replaced, because the
   * client has named the members; a member that is withheld is avoided.
   */
  private static List<MaximumPlace> addedMaximum(
      RequestContext requestContext, UpstreamSpec spec, Set<Addition> withheld) {
    if (requestContext.addedMaximum() == RequestContent.UNSTATED) {
      return List.of();
    }
    List<MaximumPlace> places = requestContext.spots().places();
    if (places.stream().anyMatch(MaximumPlace::denied)) {
      return places;
    }
    String member =
        requestContext.protocol().maximumMember(spec.url(), requestContext.parameters().query());
    MaximumPlace chosen = null;
    for (MaximumPlace each : places) {
      boolean known = !withheld.contains(Addition.ofMaximum(each.member()));
      if (known && (chosen == null || each.member().equals(member))) {
        chosen = each;
      }
    }
    return chosen == null ? List.of() : List.of(chosen);
  }
}
