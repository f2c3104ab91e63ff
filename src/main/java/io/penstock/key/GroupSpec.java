package io.penstock.key;

/**
 * What the keys of a group may spend together; a limit of 0 is none.
 *
 * @param name unique among groups
 * @param rpm requests in any 60 seconds
 * @param tpm tokens, input plus output, in any 60 seconds
 * @param rpd requests a day of 24 h from the first
 * @param budgetTokensPerDay tokens a UTC day
 * @param budgetTokensPerMonth tokens a UTC month
 */
public record GroupSpec(
    String name,
    long rpm,
    long tpm,
    long rpd,
    long budgetTokensPerDay,
    long budgetTokensPerMonth) {}
