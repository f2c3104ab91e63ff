package io.penstock.key;

import io.penstock.cost.ExcessOutput;
import org.jspecify.annotations.Nullable;

/**
 * Limits that the keys of a group share; 0 means unlimited.
 *
 * @param name unique among groups
 * @param rpm requests in any 60 seconds
 * @param tpm tokens, input plus output, in any 60 seconds
 * @param rpd requests in a day of 24 h, which begins with its first request
 * @param budgetTokensPerDay tokens per UTC day
 * @param budgetTokensPerMonth tokens per UTC month
 * @param waits whether requests of its keys that do not say so themselves wait for limits instead
 *     of being refused; null for the default
 * @param excessOutput what happens to larger maxima of output than its budgets allow; null if the
 *     endpoint says it
 */
public record GroupSpec(
    String name,
    long rpm,
    long tpm,
    long rpd,
    long budgetTokensPerDay,
    long budgetTokensPerMonth,
    @Nullable Boolean waits,
    @Nullable ExcessOutput excessOutput) {
  /** Creates a group that says nothing about waiting and about maxima of output. */
  public GroupSpec(
      String name,
      long rpm,
      long tpm,
      long rpd,
      long budgetTokensPerDay,
      long budgetTokensPerMonth) {
    this(name, rpm, tpm, rpd, budgetTokensPerDay, budgetTokensPerMonth, null, null);
  }

  /** Returns whether it limits anything. */
  boolean isLimited() {
    return rpm > 0 || tpm > 0 || rpd > 0 || hasBudget();
  }

  boolean hasBudget() {
    return budgetTokensPerDay > 0 || budgetTokensPerMonth > 0;
  }
}
