package io.penstock.dispatch;

import io.penstock.limit.LimitSpec;

/** The algorithm of an endpoint's own limit. */
public enum LimitAlgorithm {
  /** Always admits. */
  NONE("none"),
  /** One request in each slot of time. */
  STRICT("strict"),
  /** A bucket of requests that is refilled at a rate. */
  TOKEN_BUCKET("token_bucket"),
  /** A number of requests in any trailing window. */
  SLIDING_WINDOW("sliding_window"),
  /** A number of tokens in each fixed window. */
  TOKEN_WINDOW("token_window");

  private final String text;

  LimitAlgorithm(String text) {
    this.text = text;
  }

  /** Returns the algorithm of the own limit of an endpoint. */
  public static LimitAlgorithm of(LimitSpec limit) {
    return switch (limit) {
      case LimitSpec.Unlimited unlimited -> NONE;
      case LimitSpec.Strict strict -> STRICT;
      case LimitSpec.TokenBucket bucket -> TOKEN_BUCKET;
      case LimitSpec.SlidingWindow window -> SLIDING_WINDOW;
      case LimitSpec.FixedWindow window -> TOKEN_WINDOW;
      case LimitSpec.TrailingWindow _, LimitSpec.Concurrency _, LimitSpec.Day _ ->
          throw new IllegalArgumentException(limit + ", expected the limit of an endpoint");
    };
  }

  /** Returns the name in route files. */
  public String text() {
    return text;
  }

  /** Returns the name of the scheduler that drives endpoints with this algorithm. */
  public String schedulerName() {
    return "penstock-" + text.replace('_', '-');
  }
}
