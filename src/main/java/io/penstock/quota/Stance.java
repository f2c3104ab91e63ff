package io.penstock.quota;

/**
 * How one limit stands to one request, at an instant.
 *
 * @param metered the limit
 * @param needs what the request asks of it, in its measure; what is only expected is cut to what it
 *     could ever give
 * @param dry whether slices alone lack: the next round tells whether there are any
 * @param untilNanos the instant from which it admits the request if nothing else happens: that
 *     instant itself when it does; {@link io.penstock.time.Ticker#NEVER} when only a wake-up helps,
 *     or nothing ever does
 */
public record Stance(Metered metered, long needs, boolean dry, long untilNanos) {}
