package io.penstock.gateway.weigh;

import io.penstock.gateway.request.ForbiddenCalls;
import io.penstock.gateway.request.RequestContext;
import io.penstock.key.ApiCaller;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may leave open what its body leaves open. Servers take more than the
 * gateway can read; only where a limit, or the choice of an upstream, goes by a value must it be
 * one that the gateway reads too.
 */
final class NeededValues {
  private NeededValues() {}

  /** Returns the refusal of a request that leaves open what must be known, or null. */
  static @Nullable Refusal refusal(RequestContext requestContext, WeighedRequest.Doubts doubts) {
    if (doubts.model() != null && needsModel(requestContext)) {
      return Refusal.of(RefusalReason.BAD_REQUEST, doubts.model());
    }
    return doubts.tokens() != null && needsTokens(requestContext)
        ? Refusal.of(RefusalReason.BAD_REQUEST, doubts.tokens())
        : null;
  }

  private static boolean needsTokens(RequestContext requestContext) {
    ApiCaller caller = requestContext.caller();
    return (caller != null && caller.spec().terms().limits().maxOutputTokens() > 0)
        || ForbiddenCalls.ownerOfTokenLimit(requestContext, caller) != null;
  }

  private static boolean needsModel(RequestContext requestContext) {
    ApiCaller caller = requestContext.caller();
    return requestContext.client().models() != null
        || (caller != null && !caller.spec().terms().models().isEmpty())
        || requestContext.endpoint().limitsModels()
        || requestContext.endpoint().spec().upstreams().stream()
            .anyMatch(NeededValues::tellsModels);
  }

  private static boolean tellsModels(UpstreamSpec upstream) {
    return upstream.access().disabledBecause() == null
        && !(upstream.models().isEmpty() && upstream.budget().pools().isEmpty());
  }
}
