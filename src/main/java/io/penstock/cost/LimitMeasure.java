package io.penstock.cost;

/** Unit that a limit counts. */
public enum LimitMeasure {
  /** Requests: each ticket counts one. */
  REQUESTS,
  /** Requests that run at the same time: each has a permit until its answer has ended. */
  CONCURRENCY,
  /** Tokens, as the {@link ChargeRule} of the limit counts them. */
  TOKENS,
  /** Tokens of input alone. */
  INPUT_TOKENS,
  /** Tokens of output alone. */
  OUTPUT_TOKENS
}
