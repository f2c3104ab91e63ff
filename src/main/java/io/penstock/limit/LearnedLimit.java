package io.penstock.limit;

/**
 * A provider's last statement about a limit, brought up to date.
 *
 * @param limit the amount that the provider allows in a window
 * @param remaining the stated remainder, less what was taken since, plus what came back since;
 *     {@link ProviderNotice#UNSTATED} from the reset on
 * @param resetNanos the instant at which the limit is whole again, which may have passed
 * @param drift how much more was believed to be left than the provider stated, at that time, as a
 *     fraction of the limit; below zero when less was believed
 */
public record LearnedLimit(long limit, long remaining, long resetNanos, double drift) {}
