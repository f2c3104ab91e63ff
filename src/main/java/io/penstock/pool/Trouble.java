package io.penstock.pool;

/**
 * The last thing that went wrong at an upstream.
 *
 * @param what in a word or two, never anything that a client or a provider wrote
 * @param atNanos when
 */
public record Trouble(String what, long atNanos) {}
