package io.penstock.gateway;

import io.penstock.key.Caller;
import io.penstock.quota.Account;
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
    Caller caller = passage.caller();
    // with strict_after_denial, the counts of all instances are fetched before a key is refused
    Account account = caller == null || caller.spec().strictAfterDenial() ? null : caller.account();
    Refusal refusal = passage.endpoint().foreseen(account);
    if (refusal != null) {
      passage.tells(allowances.of(passage, null));
    }
    return refusal;
  }
}
