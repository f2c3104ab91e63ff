package io.penstock.pool;

/**
 * The last thing that went wrong at an upstream.
 *
 * @param what the problem in one or two words, never text from a client or a provider
 * @param atNanos the instant of the problem
 */
public record UpstreamTrouble(String what, long atNanos) {}
