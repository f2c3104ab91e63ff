package io.penstock.gateway;

import io.penstock.cost.Dialect;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** Which models a key may use. */
final class ModelScope {
  static final Refusal FORBIDDEN =
      Refusal.of(Reason.FORBIDDEN_MODEL, "the key may not use this model");

  private static final Set<HttpMethod> ONLY_ASKING =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.DELETE);

  private ModelScope() {}

  /**
   * Returns whether a key that may use some models may not send a request. Of a call that is not
   * weighed only the query says which model it is for; where it does not, only what makes no model
   * work is let through.
   */
  static boolean forbids(Passage passage, ServerHttpRequest request) {
    Set<String> allowed = passage.visitor().models();
    EndpointSpec spec = passage.endpoint().spec();
    if (allowed == null || spec.permit() || spec.reading().dialect() == Dialect.NONE) {
      return false;
    }
    if (passage.weighed()) {
      return passage.model() == null || !allowed.contains(passage.model());
    }
    @Nullable List<String> named = request.getQueryParams().get("model");
    if (named != null) {
      return !allowed.containsAll(named);
    }
    return Relay.asked(request) || !ONLY_ASKING.contains(request.getMethod());
  }
}
