package io.penstock.gateway.weigh;

import io.penstock.gateway.request.ForbiddenCalls;
import io.penstock.gateway.request.LimitHeaders;
import io.penstock.gateway.request.MessageCalls;
import io.penstock.gateway.request.ProviderCall;
import io.penstock.gateway.request.RequestContext;
import io.penstock.key.ApiCaller;
import io.penstock.quota.CallerAccount;
import io.penstock.refusal.Refusal;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Finds requests that would be refused whatever their body says, so that their body need not be
 * read. Charges nothing: the decision about all other requests is made once their body is known.
 * Safe from any thread.
 */
public final class EarlyRefusal {
  /** Methods of calls that may have a model work. */
  private static final Set<HttpMethod> WITH_BODY =
      Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH);

  /** End of the paths of calls that stop work. */
  private static final String CANCEL = "/cancel";

  private final LimitHeaders limitHeaders;

  public EarlyRefusal(LimitHeaders limitHeaders) {
    this.limitHeaders = limitHeaders;
  }

  /** Returns the refusal of a request, or null when there is none yet. */
  @Nullable Refusal of(RequestContext requestContext) {
    ApiCaller apiCaller = requestContext.caller();
    // with strict_after_denial, the counts of all instances are fetched before a key is refused
    CallerAccount callerAccount =
        apiCaller == null || apiCaller.spec().terms().policy().strictAfterDenial()
            ? null
            : apiCaller.account();
    Refusal certain =
        requestContext.endpoint().certainRefusal(requestContext.promiseHolder(), callerAccount);
    return certain == null && callerAccount != null
        ? usedUpBudget(requestContext)
        : told(requestContext, certain);
  }

  /**
   * Returns the refusal of a call that is not weighed, or null. Such a call is free of limits of
   * tokens, because nobody knows what it uses, but makes no use of a budget that has none left.
   */
  @Nullable Refusal ofUnweighed(RequestContext requestContext, ServerHttpRequest request) {
    boolean free =
        requestContext.endpoint().spec().permit() || !mayUseTokens(requestContext, request);
    return free ? null : usedUpBudget(requestContext);
  }

  private @Nullable Refusal usedUpBudget(RequestContext requestContext) {
    ApiCaller apiCaller = requestContext.caller();
    return apiCaller == null
        ? null
        : told(requestContext, requestContext.endpoint().usedUpBudget(apiCaller.account()));
  }

  /** Returns whether a call that passes may use tokens. */
  private static boolean mayUseTokens(RequestContext requestContext, ServerHttpRequest request) {
    ProviderCall ofMessages = MessageCalls.of(requestContext.endpoint().spec(), request);
    ProviderCall call = ofMessages == null ? requestContext.call() : ofMessages;
    boolean works =
        MessageCalls.asksForWebSocket(request)
            || (WITH_BODY.contains(request.getMethod()) && !call.path().endsWith(CANCEL));
    return works && ForbiddenCalls.of(requestContext, call) == null;
  }

  private @Nullable Refusal told(RequestContext requestContext, @Nullable Refusal refusal) {
    if (refusal != null) {
      requestContext.setLimitHeaders(limitHeaders.of(requestContext, null));
    }
    return refusal;
  }
}
