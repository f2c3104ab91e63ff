package io.penstock.key;

/**
 * Limits that the keys of a group share; 0 means unlimited.
 *
 * @param name unique among groups
 * @param rpm requests in any 60 seconds
 * @param tpm tokens, input plus output, in any 60 seconds
 * @param rpd requests in a day of 24 h, which begins with its first request
 * @param budgetTokensPerDay tokens per UTC day
 * @param budgetTokensPerMonth tokens per UTC month
 */
public record GroupSpec(
    String name,
    long rpm,
    long tpm,
    long rpd,
    long budgetTokensPerDay,
    long budgetTokensPerMonth) {}
