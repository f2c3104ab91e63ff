package io.penstock.gateway.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.ApiCaller;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.jspecify.annotations.Nullable;

/**
 * Refuses calls that the key or the endpoint does not let through, and batches where tokens are
 * limited: nobody knows what a batch will use when it is created.
 */
public final class ForbiddenCalls {
  private ForbiddenCalls() {}

  /** Returns the refusal of a request to a provider, or null if its call passes. */
  public static @Nullable Refusal of(RequestContext requestContext) {
    EndpointSpec spec = requestContext.endpoint().spec();
    ProviderCall call = requestContext.call();
    ApiCaller caller = requestContext.caller();
    if (spec.permit()) {
      return null;
    }
    if (!spec.forwarding().calls().permit(call.weighed(), call.sent())) {
      return refusal("the endpoint does not pass this call on; calls says which it passes");
    }
    if (caller != null
        && !caller.spec().terms().scope().calls().permit(call.weighed(), call.sent())) {
      return refusal("the key may not make this call; calls of the key says which it may");
    }
    String owner = call.startsBatch() ? ownerOfTokenLimit(requestContext, caller) : null;
    return owner == null
        ? null
        : refusal(
            "a batch uses tokens that cannot be counted in advance, and "
                + owner
                + " has a limit of tokens here; send its requests one by one, or have it made where"
                + " tokens are not limited");
  }

  private static Refusal refusal(String detail) {
    return Refusal.of(RefusalReason.FORBIDDEN_CALL, detail);
  }

  /** Returns the owner of a limit of tokens that the request faces, or null. */
  private static @Nullable String ownerOfTokenLimit(
      RequestContext requestContext, @Nullable ApiCaller caller) {
    boolean forModels =
        caller != null
            && caller.spec().terms().models().values().stream().anyMatch(each -> each.tpm() > 0);
    return caller != null && forModels
        ? "key " + caller.spec().name()
        : requestContext.endpoint().ownerOfTokenLimit(caller == null ? null : caller.account());
  }
}
