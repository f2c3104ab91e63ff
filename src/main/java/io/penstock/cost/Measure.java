package io.penstock.cost;

/** What a limit counts. */
public enum Measure {
  /** Requests: each ticket weighs one. */
  REQUESTS,
  /** Requests that run at the same time: each holds one until its answer has ended. */
  CONCURRENCY,
  /** Tokens, as the limit's {@link Charge} adds them up. */
  TOKENS,
  /** Tokens of input alone. */
  INPUT_TOKENS,
  /** Tokens of output alone. */
  OUTPUT_TOKENS
}
