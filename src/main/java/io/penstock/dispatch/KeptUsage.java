package io.penstock.dispatch;

import io.penstock.cost.TokenUsage;

/**
 * Usage of one ended request that stays charged to limits of requests and of tokens. The ledger
 * counts the same.
 *
 * @param requests 1, or 0 when the request never reached an upstream
 * @param used tokens by kind; all input counts as uncached where the answer stated no usage
 * @param overrun by how many tokens this exceeds what was taken and reserved, ≥ 0
 */
public record KeptUsage(int requests, TokenUsage used, long overrun) {
  /** Nothing is kept. */
  static final KeptUsage NONE = new KeptUsage(0, 0, 0, 0);

  /** Creates usage in which no input was cached. */
  KeptUsage(int requests, long inputTokens, long outputTokens, long overrun) {
    this(requests, new TokenUsage(inputTokens, 0, outputTokens), overrun);
  }

  /** Returns input plus output, in tokens. */
  long totalTokens() {
    return used.totalTokens();
  }
}
