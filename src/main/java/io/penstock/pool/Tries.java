package io.penstock.pool;

import org.jspecify.annotations.Nullable;

/**
 * What was tried for one request, the attempt at hand included.
 *
 * @param model the model it asks for, or null
 * @param rejected how often an upstream refused it for its limits, ≥ 0
 * @param broken how often an attempt failed otherwise, ≥ 0
 * @param repeatable whether it could be sent once more: its body is held, and the client has had
 *     nothing of an answer
 */
public record Tries(@Nullable String model, int rejected, int broken, boolean repeatable) {}
