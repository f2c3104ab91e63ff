package io.penstock.pool;

/**
 * The last thing that went wrong at an upstream.
 *
 * @param what the problem in a few words, never text from a client; text from the body of an answer
 *     only as {@link ProviderLesson#said} has it
 * @param atNanos the instant of the problem
 */
public record UpstreamTrouble(String what, long atNanos) {}
