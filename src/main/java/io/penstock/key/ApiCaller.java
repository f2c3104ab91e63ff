package io.penstock.key;

import io.penstock.cost.ExcessOutput;
import io.penstock.quota.CallerAccount;
import org.jspecify.annotations.Nullable;

/**
 * Key and account of the client that sent a request.
 *
 * @param spec the present key
 * @param account its account
 * @param group its group, or null
 */
public record ApiCaller(KeySpec spec, CallerAccount account, @Nullable GroupSpec group) {
  /**
   * Returns what happens to larger maxima of output than its limits allow: what the key says, else
   * its group; where neither does, they are lowered if there is a budget. Null leaves it to the
   * endpoint.
   */
  public @Nullable ExcessOutput excessOutput() {
    ExcessOutput ofKey = spec.terms().policy().excessOutput();
    ExcessOutput stated = ofKey == null && group != null ? group.excessOutput() : ofKey;
    boolean budget =
        spec.terms().limits().budgetTokensPerDay() > 0 || (group != null && group.hasBudget());
    return stated == null && budget ? ExcessOutput.CAP : stated;
  }
}
