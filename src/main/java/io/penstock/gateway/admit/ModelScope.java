package io.penstock.gateway.admit;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.request.MessageCalls;
import io.penstock.gateway.request.RequestContext;
import io.penstock.provider.CallPaths;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** Decides which models a key may use. */
final class ModelScope {
  static final Refusal FORBIDDEN =
      Refusal.of(RefusalReason.FORBIDDEN_MODEL, "the key may not use this model");

  private static final Set<HttpMethod> ONLY_ASKING =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.DELETE);

  private ModelScope() {}

  /**
   * Returns whether a request is forbidden to a key that may use only some models. The model of a
   * call whose body is not read is unknown, whatever its query says, unless the call opens a
   * session. So of other such calls only those that make no model work are allowed.
   */
  static boolean forbids(RequestContext requestContext, ServerHttpRequest request) {
    Set<String> allowed = requestContext.client().models();
    EndpointSpec spec = requestContext.endpoint().spec();
    if (allowed == null || spec.permit() || !spec.reading().dialect().readsBodies()) {
      return false;
    }
    if (requestContext.weighed()) {
      return requestContext.model() == null || !allowed.contains(requestContext.model());
    }
    Set<String> named = named(request, "model", "deployment");
    if (!allowed.containsAll(named)) {
      return true;
    }
    if (MessageCalls.of(spec, request) != null) {
      return false; // each message names its model
    }
    boolean readsOnly =
        !MessageCalls.asksForWebSocket(request) && ONLY_ASKING.contains(request.getMethod());
    return !readsOnly && (named.isEmpty() || !opensSession(requestContext, request));
  }

  /**
   * Returns whether a request opens a session with the model of its query, and with no other, such
   * as one in its path. Sessions with an intent name their model only later.
   */
  private static boolean opensSession(RequestContext requestContext, ServerHttpRequest request) {
    String path = requestContext.call().path();
    return requestContext.upstreamProtocol().opensSession(path)
        && !CallPaths.namesModel(path)
        && named(request, "intent").isEmpty();
  }

  /** Returns the query's values under some names, in whatever case, as some providers read them. */
  private static Set<String> named(ServerHttpRequest request, String... names) {
    Set<String> named = new HashSet<>();
    request
        .getQueryParams()
        .forEach(
            (name, values) -> {
              if (Stream.of(names).anyMatch(name::equalsIgnoreCase)) {
                values.forEach(value -> named.add(value == null ? "" : value));
              }
            });
    return named;
  }
}
