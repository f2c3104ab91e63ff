package io.penstock.provider.request;

/**
 * A model that a body names besides the one it asks for.
 *
 * @param name its name, as the client wrote it
 * @param at the offset of the JSON string in the body, quotes included
 * @param length the length of the string in bytes
 */
public record NamedModel(String name, long at, int length) {}
