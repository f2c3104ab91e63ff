package io.penstock.gateway;

import io.penstock.key.ApiCaller;
import io.penstock.quota.CallerAccount;
import io.penstock.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests that would be refused whatever their body says, so that their body need not be
 * read. Charges nothing: the decision about all other requests is made once their body is known.
 * Safe from any thread.
 */
final class EarlyRefusal {
  private final Allowances allowances;

  EarlyRefusal(Allowances allowances) {
    this.allowances = allowances;
  }

  /** Returns the refusal of a request, or null when there is none yet. */
  @Nullable Refusal of(Passage passage) {
    ApiCaller apiCaller = passage.caller();
    // with strict_after_denial, the counts of all instances are fetched before a key is refused
    CallerAccount callerAccount =
        apiCaller == null || apiCaller.spec().strictAfterDenial() ? null : apiCaller.account();
    Refusal refusal = passage.endpoint().foreseen(callerAccount);
    if (refusal != null) {
      passage.tells(allowances.of(passage, null));
    }
    return refusal;
  }
}
