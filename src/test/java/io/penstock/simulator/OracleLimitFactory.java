package io.penstock.simulator;

import io.penstock.limit.LimitSpec;

/** Creates the models of limits. */
final class OracleLimitFactory {
  private OracleLimitFactory() {}

  static OracleLimit create(LimitSpec spec, long now) {
    return create(spec, 0, now);
  }

  /** Creates a limit that starts with a debt, from another one of the same measure. */
  static OracleLimit create(LimitSpec spec, long owed, long now) {
    return switch (spec) {
      case LimitSpec.Strict strict -> new OracleStrict(strict);
      case LimitSpec.FixedWindow window -> new OracleWindow(window, now);
      case LimitSpec.TrailingWindow window -> new OracleTrailing(window, now);
      case LimitSpec.TokenBucket bucket -> new OracleBucket(bucket, owed, now);
      case LimitSpec.SlidingWindow window -> new OracleSliding(window, owed, now);
      case LimitSpec.Concurrency concurrency -> new OracleConcurrency(concurrency);
      case LimitSpec.Day day -> throw new IllegalArgumentException("none of " + day);
      case LimitSpec.Unlimited unlimited ->
          throw new IllegalArgumentException("none of " + unlimited);
    };
  }
}
