package io.penstock.gateway.weigh;

import io.penstock.gateway.request.LimitHeaders;
import io.penstock.gateway.request.RequestContext;
import io.penstock.key.ApiCaller;
import io.penstock.quota.CallerAccount;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests that would be refused whatever their body says, so that their body need not be
 * read. Charges nothing: the decision about all other requests is made once their body is known.
 * Safe from any thread.
 */
public final class EarlyRefusal {
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
    Refusal refusal =
        requestContext.endpoint().certainRefusal(requestContext.promiseHolder(), callerAccount);
    if (refusal != null) {
      requestContext.setLimitHeaders(limitHeaders.of(requestContext, null));
    }
    return refusal;
  }
}
