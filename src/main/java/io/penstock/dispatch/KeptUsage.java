package io.penstock.dispatch;

/**
 * Usage of one ended request that stays charged to limits of requests and of tokens. The ledger
 * counts the same.
 *
 * @param requests 1, or 0 when the request never reached an upstream
 * @param inputTokens tokens of input, ≥ 0
 * @param outputTokens tokens of output, ≥ 0
 * @param overrun by how many tokens this exceeds what was taken and reserved, ≥ 0
 */
public record KeptUsage(int requests, long inputTokens, long outputTokens, long overrun) {
  /** Nothing is kept. */
  static final KeptUsage NONE = new KeptUsage(0, 0, 0, 0);

  /** Returns input plus output, in tokens. */
  long totalTokens() {
    return inputTokens + outputTokens;
  }
}
