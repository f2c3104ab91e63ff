package io.penstock.simulator;

/**
 * The answer to one attempt, as far as a provider's cache decides it.
 *
 * @param sentAt when the attempt was sent
 * @param input all its input
 * @param read the part of the input that was read from the cache
 * @param written the part of the input that was written to it
 * @param states when the answer states its input
 */
record SimAnswer(long sentAt, long input, long read, long written, States states) {
  /** When an answer states its input. */
  enum States {
    EARLY,
    AT_ITS_END,
    NEVER
  }
}
