package io.penstock.limit;

import java.util.Comparator;
import java.util.List;

/** Creates the states of limits that continue earlier ones, as in {@link Limit#restored}. */
final class RestoredStates {
  private RestoredStates() {}

  /** Returns the state of a limit that continues at least one cell. */
  static LocalState state(LimitSpec spec, List<ChargedCell> cells, long since, long now) {
    List<ChargedCell> sorted =
        cells.stream().sorted(Comparator.comparingLong(ChargedCell::atNanos)).toList();
    return switch (spec) {
      case LimitSpec.Unlimited unlimited ->
          StateFactory.starting(unlimited, LimitBalance.ZERO, now);
      case LimitSpec.Concurrency concurrency ->
          StateFactory.starting(concurrency, LimitBalance.ZERO, now);
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
    LocalState localState =
        StateFactory.starting(spec, LimitBalance.ZERO, cells.getFirst().by(since).atNanos());
    for (ChargedCell chargedCell : cells) {
      localState =
          localState.charge(chargedCell.amount(), 0, chargedCell.by(since).atNanos()).next();
    }
    return localState;
  }
}
