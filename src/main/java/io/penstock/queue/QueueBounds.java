package io.penstock.queue;

/**
 * Bounds of one queue. All three apply.
 *
 * @param maxTickets ≥ 1
 * @param maxTokens of cost (input + output); {@link #UNLIMITED} for no bound
 * @param maxBytes of stored bodies, ≥ 1
 */
public record QueueBounds(long maxTickets, long maxTokens, long maxBytes) {
  /** No bound. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  public QueueBounds {
    if (maxTickets < 1 || maxTokens < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "bounds are %d tickets, %d tokens, %d bytes, expected each at least 1"
              .formatted(maxTickets, maxTokens, maxBytes));
    }
  }
}
