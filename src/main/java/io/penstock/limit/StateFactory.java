package io.penstock.limit;

/** Creates the states with which limits start. */
final class StateFactory {
  private StateFactory() {}

  /** Returns the first state of a limit that starts with something owed. */
  static LocalState starting(LimitSpec spec, LimitBalance owed, long now) {
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> new UnlimitedState(unlimited);
      case LimitSpec.Strict strict -> StrictState.fresh(strict, now);
      case LimitSpec.TokenBucket bucket -> TokenBucketState.starting(bucket, owed, now);
      case LimitSpec.SlidingWindow window ->
          window.capacity() > SlidingWindowState.MOST_INSTANTS
              ? SlidingCellsState.starting(window, owed, now)
              : SlidingWindowState.starting(window, owed, now);
      case LimitSpec.FixedWindow window -> FixedWindowState.starting(window, owed, now);
      case LimitSpec.TrailingWindow window -> TrailingWindowState.starting(window, owed, now);
      case LimitSpec.Concurrency concurrency -> new ConcurrencyState(concurrency, owed.reserved());
      case LimitSpec.Day day -> DayState.starting(day, owed, now);
    };
  }

  /** Returns the state of a limit with another spec. Its debt stays. */
  static LocalState changed(LocalState localState, LimitSpec next, long now) {
    LocalState same = localState.withSpec(next, now);
    return same == null ? starting(next, localState.balance(now), now) : same;
  }
}
