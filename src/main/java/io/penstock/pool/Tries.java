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
 * @param streamUsage what the gateway did in this attempt to learn the usage of a stream
 */
public record Tries(
    @Nullable String model, int rejected, int broken, boolean repeatable, StreamUsage streamUsage) {
  /** What the gateway does to learn the usage of a stream. */
  public enum StreamUsage {
    /**
     * Nothing: it is no stream, or the client asks for its usage itself, or it may not be asked.
     */
    LEFT_ALONE,
    /** It added the option that asks for the usage. */
    ADDED,
    /** It sends without the option what this upstream has just refused with it. */
    TAKEN_OUT
  }

  /** What was tried for a request whose body is sent as it came. */
  public Tries(@Nullable String model, int rejected, int broken, boolean repeatable) {
    this(model, rejected, broken, repeatable, StreamUsage.LEFT_ALONE);
  }
}
