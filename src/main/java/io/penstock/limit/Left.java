package io.penstock.limit;

/**
 * The part of a limit that is left for all who spend it, as far as is known here: what clients and
 * operators are shown. It decides nothing.
 *
 * @param amount ≥ 0
 * @param fullNanos the instant from which the whole limit is left if nothing more is spent; at or
 *     before the instant asked for when it is, and where nobody knows
 */
public record Left(long amount, long fullNanos) {}
