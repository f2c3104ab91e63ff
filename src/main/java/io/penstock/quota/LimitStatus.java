package io.penstock.quota;

/**
 * Status of one limit for one request at an instant.
 *
 * @param metered the limit
 * @param needs the amount that the request needs, in the measure of the limit; the merely expected
 *     part is cut so that the whole fits into the capacity
 * @param awaitingShare whether only a larger share is lacking, and one may come soon
 * @param onlyPaced whether it has room, and only its pace holds the request
 * @param untilNanos the instant from which the limit admits the request if nothing else happens:
 *     the present instant when it does already; {@link io.penstock.time.Ticker#NEVER} when only a
 *     wake-up helps, or nothing
 */
public record LimitStatus(
    MeteredLimit metered, long needs, boolean awaitingShare, boolean onlyPaced, long untilNanos) {}
