package io.penstock.limit;

import java.util.Comparator;
import java.util.List;

/** Creates the states with which limits start, or continue earlier ones. */
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

  /** Returns the state of a limit that continues at least one cell. */
  static LocalState restored(LimitSpec spec, List<ChargedCell> cells, long since, long now) {
    List<ChargedCell> sorted =
        cells.stream().sorted(Comparator.comparingLong(ChargedCell::atNanos)).toList();
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> starting(unlimited, LimitBalance.ZERO, now);
      case LimitSpec.Concurrency concurrency -> starting(concurrency, LimitBalance.ZERO, now);
      case LimitSpec.Strict strict -> StrictState.restored(strict, sorted, since);
      case LimitSpec.Day day -> DayState.restored(day, sorted, since, now);
      case LimitSpec.TrailingWindow window -> TrailingWindowState.restored(window, sorted, since);
      case LimitSpec.SlidingWindow window ->
          window.capacity() > SlidingWindowState.MOST_INSTANTS
              ? SlidingCellsState.restored(window, sorted, since)
              : again(window, sorted, since);
      case LimitSpec.TokenBucket bucket -> again(bucket, sorted, since);
      case LimitSpec.FixedWindow window -> again(window, sorted, since);
    };
  }

  /** Charges each cell at its instant once more. */
  private static LocalState again(LimitSpec spec, List<ChargedCell> cells, long since) {
    LocalState localState = starting(spec, LimitBalance.ZERO, cells.getFirst().by(since).atNanos());
    for (ChargedCell chargedCell : cells) {
      localState =
          localState.charge(chargedCell.amount(), 0, chargedCell.by(since).atNanos()).next();
    }
    return localState;
  }
}
