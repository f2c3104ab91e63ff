package io.penstock.sim;

import io.penstock.limit.LimitSpec;

/**
 * What a limit may let pass, worked out from the contract alone: none of the arithmetic of the
 * production limits is used here.
 */
abstract sealed class OracleLimit
    permits OracleTrailing,
        OracleWindow,
        OracleStrict,
        OracleBucket,
        OracleSliding,
        OracleConcurrency {
  /** What one ticket asks: at release, while its answer runs, and at the very least. */
  record Ask(long taken, long held, long least) {
    Ask within(long capacity) {
      long over = taken + held - capacity;
      if (over <= 0 || least > capacity) {
        return this;
      }
      // Input cannot be cut, what is only expected can: first of what is taken, then of the rest.
      long keep = taken > capacity ? Math.max(least, capacity) : taken;
      return new Ask(keep, Math.min(held, capacity - keep), least);
    }

    /** What it asks in all, cut to a capacity that can admit the least of it. */
    long allWithin(long capacity) {
      return Math.min(capacity, taken + held);
    }

    long all() {
      return taken + held;
    }
  }

  static OracleLimit of(LimitSpec spec, long now) {
    return of(spec, 0, now);
  }

  /** A limit that starts with something owed to another one that counted the same. */
  static OracleLimit of(LimitSpec spec, long owed, long now) {
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

  abstract LimitSpec spec();

  abstract long capacity();

  /** What is free at an instant if nothing happens until then, pacing aside. */
  abstract long free(long now);

  /** The instant from which the pace lets an amount pass. */
  long paced(long amount) {
    return Long.MIN_VALUE;
  }

  /**
   * The instant at which a request passes behind so many others if nobody else comes and all go as
   * soon as they can: that of a single server. {@link Long#MIN_VALUE} where it is not foretold.
   */
  long foretold(long ahead, long now) {
    return Long.MIN_VALUE;
  }

  /** Returns the window or cell it was taken from. */
  abstract long take(long taken, long held, long now);

  abstract void give(long cell, long taken, long held, long now);

  /** Returns the window or cell it was charged to. */
  abstract long charge(long amount, long unheld, long now);

  abstract void resize(LimitSpec next, long now);

  /** What a limit of another kind that takes its place starts with: nothing, for most. */
  long owed(long now) {
    return 0;
  }

  abstract long held();

  /** How long charges of one answer need not be told apart. */
  abstract long subCell();

  final boolean possible(Ask ask) {
    return ask.least() <= capacity();
  }

  final boolean admits(Ask ask, long now) {
    long capacity = capacity();
    return ask.least() <= capacity && ask.allWithin(capacity) <= free(now);
  }

  /** The instant from which the pace lets pass what is possible at all. */
  final long paced(Ask ask) {
    return paced(ask.allWithin(capacity()));
  }
}
