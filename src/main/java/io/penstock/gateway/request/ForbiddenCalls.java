package io.penstock.gateway.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.ApiCaller;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Refuses calls that the key or the endpoint does not let through, and batches where tokens are
 * limited: nobody knows what a batch will use when it is created.
 */
public final class ForbiddenCalls {
  /** Methods with a body that an upstream could take for a POST. */
  private static final Set<HttpMethod> LIKE_POST = Set.of(HttpMethod.PUT, HttpMethod.PATCH);

  private static final Refusal ONLY_POST =
      Refusal.of(
          RefusalReason.METHOD_NOT_ALLOWED,
          "the call is made by POST: by another method its body would not be weighed");

  private ForbiddenCalls() {}

  /**
   * Returns the refusal of a request that has the wrong method: with POST, its call would be
   * weighed or recognised as a batch. Returns null if the method is as it should be. An upstream
   * that goes by the path only would make the call.
   */
  public static @Nullable Refusal byMethod(EndpointSpec spec, ServerHttpRequest request) {
    if (spec.permit() || !LIKE_POST.contains(request.getMethod())) {
      return null;
    }
    ProviderCall posted =
        ProviderCall.of(spec, HttpMethod.POST.name(), request.getURI().getRawPath());
    return posted.weighed() || posted.startsBatch() ? ONLY_POST : null;
  }

  /** Returns the refusal of a request to a provider, or null if its call passes. */
  public static @Nullable Refusal of(RequestContext requestContext) {
    return of(requestContext, requestContext.call());
  }

  /** Returns the refusal of a request that leads to a call, or null if that passes. */
  public static @Nullable Refusal of(RequestContext requestContext, ProviderCall call) {
    EndpointSpec spec = requestContext.endpoint().spec();
    ApiCaller caller = requestContext.caller();
    if (spec.permit()) {
      return null;
    }
    boolean counted = call.weighed() || call.light();
    if (!spec.forwarding().calls().permit(counted, call.sent())) {
      return refusal("the endpoint does not pass this call on; calls says which it passes");
    }
    if (caller != null && !caller.spec().terms().scope().calls().permit(counted, call.sent())) {
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

  /** Returns the owner of a limit of tokens that a request may face, or null. */
  public static @Nullable String ownerOfTokenLimit(
      RequestContext requestContext, @Nullable ApiCaller caller) {
    boolean forModels =
        caller != null
            && caller.spec().terms().models().values().stream().anyMatch(each -> each.tpm() > 0);
    return caller != null && forModels
        ? "key " + caller.spec().name()
        : requestContext.endpoint().ownerOfTokenLimit(caller == null ? null : caller.account());
  }
}
