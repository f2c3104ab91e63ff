package io.penstock.limit;

/**
 * Capacity of a limit that was learned from refusals, because its provider states none.
 *
 * @param amount the amount that is allowed in a window now
 * @param probes whether it is being raised to see whether the provider allows more
 * @param untilNanos the instant of the next change
 */
public record LearnedCeiling(long amount, boolean probes, long untilNanos) {}
