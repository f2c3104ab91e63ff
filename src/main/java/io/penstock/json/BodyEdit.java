package io.penstock.json;

/**
 * A change to the bytes of a body.
 *
 * @param at the offset of the first byte that is replaced, ≥ 0
 * @param length the number of bytes that are replaced, ≥ 0
 * @param text the replacement, written in UTF-8
 */
public record BodyEdit(long at, int length, String text) {}
