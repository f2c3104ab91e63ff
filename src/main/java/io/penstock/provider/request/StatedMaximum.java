package io.penstock.provider.request;

/**
 * A maximum of output where a body states it.
 *
 * @param tokens the maximum for one answer
 * @param at the offset of the number in the body, with its quotes if it has any
 * @param length its length in bytes
 */
public record StatedMaximum(long tokens, long at, int length) {}
