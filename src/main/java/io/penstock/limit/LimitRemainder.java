package io.penstock.limit;

/**
 * The part of a limit that is left for all that spend it, as far as is known here. It is shown to
 * clients and operators and decides nothing.
 *
 * @param amount ≥ 0
 * @param fullNanos the instant from which the whole limit is left if nothing more is spent; at or
 *     before the instant asked for when the limit is whole, and when it is unknown
 */
public record LimitRemainder(long amount, long fullNanos) {}
