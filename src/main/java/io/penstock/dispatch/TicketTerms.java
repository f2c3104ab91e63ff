package io.penstock.dispatch;

/**
 * How long a ticket may wait, and for what, in nanoseconds.
 *
 * @param deadlineNanos the instant at which it expires; {@link Long#MAX_VALUE} for never
 * @param refusesAboveNanos the estimated wait above which it is refused; 0 when no estimate refuses
 *     it
 * @param fallbackNanos the instant from which fallback models may serve it; {@link
 *     io.penstock.time.Ticker#NEVER} when none may
 */
public record TicketTerms(long deadlineNanos, long refusesAboveNanos, long fallbackNanos) {}
