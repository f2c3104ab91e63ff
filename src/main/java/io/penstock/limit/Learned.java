package io.penstock.limit;

/**
 * What a provider last said of a limit, as far as it is known by now.
 *
 * @param limit what it allows in a window
 * @param remaining what it has left: what it said, less what was taken since, grown since; {@link
 *     Notice#UNSAID} from the reset on
 * @param resetNanos the instant at which it is whole again, which may have passed
 * @param drift how much more was believed to be left than the provider said, in limits, when it
 *     said so; below zero when it was less
 */
public record Learned(long limit, long remaining, long resetNanos, double drift) {}
