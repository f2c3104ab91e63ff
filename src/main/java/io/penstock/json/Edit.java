package io.penstock.json;

/**
 * A change to the bytes of a body.
 *
 * @param at the offset of the first byte that is replaced, ≥ 0
 * @param length how many are, ≥ 0
 * @param text what stands there instead, in UTF-8
 */
public record Edit(long at, int length, String text) {}
