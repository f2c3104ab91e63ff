package io.penstock.gateway.admit;

import io.penstock.gateway.request.RequestContext;
import io.penstock.key.ApiCaller;
import io.penstock.model.ModelNames;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.request.NamedModel;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the provider may use the further models that a request names. A request is routed
 * and charged by the model that it asks for, so they must be served by the same upstreams and be
 * held by the same limits of models.
 */
final class FurtherModelScope {
  private static final Refusal NOT_SERVED =
      Refusal.of(
          RefusalReason.NO_UPSTREAM_FOR_MODEL,
          "models or route names a model that is not served by each upstream of the model asked"
              + " for");

  private static final Refusal LIMITED =
      Refusal.of(
          RefusalReason.FORBIDDEN_MODEL,
          "models or route names a model with limits of its own, which cannot be kept where the"
              + " provider chooses between models; ask for that model alone");

  private FurtherModelScope() {}

  /** Returns the refusal of a request because of its further models, or null. */
  static @Nullable Refusal refusal(RequestContext requestContext) {
    List<String> further = requestContext.furtherModels().stream().map(NamedModel::name).toList();
    if (further.isEmpty()) {
      return null;
    }
    Set<String> allowed = requestContext.client().models();
    if (allowed != null && !allowed.containsAll(further)) {
      return ModelScope.FORBIDDEN;
    }
    String asked = requestContext.model();
    for (UpstreamSpec upstream : requestContext.endpoint().spec().upstreams()) {
      if (upstream.serves(asked) && !further.stream().allMatch(upstream::serves)) {
        return NOT_SERVED;
      }
    }
    return further.stream().allMatch(model -> sameLimits(requestContext, asked, model))
        ? null
        : LIMITED;
  }

  private static boolean sameLimits(
      RequestContext requestContext, @Nullable String asked, String further) {
    return covers(
            requestContext.endpoint().limitedAs(asked),
            requestContext.endpoint().limitedAs(further))
        && covers(limitedForKey(requestContext, asked), limitedForKey(requestContext, further));
  }

  private static boolean covers(@Nullable String asked, @Nullable String further) {
    return further == null || Objects.equals(asked, further);
  }

  /** Returns the name under which the client's key limits a model, or null when it does not. */
  private static @Nullable String limitedForKey(
      RequestContext requestContext, @Nullable String model) {
    ApiCaller caller = requestContext.caller();
    return caller == null || model == null
        ? null
        : ModelNames.match(caller.spec().terms().models()::containsKey, model);
  }
}
