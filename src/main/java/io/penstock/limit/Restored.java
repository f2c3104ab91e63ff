package io.penstock.limit;

import java.util.Comparator;
import java.util.List;

/** Creates the states of limits that continue earlier ones, as in {@link Limit#restored}. */
final class Restored {
  private Restored() {}

  /** Returns the state of a limit that continues at least one cell. */
  static State state(LimitSpec spec, List<Cell> cells, long since, long now) {
    List<Cell> sorted = cells.stream().sorted(Comparator.comparingLong(Cell::atNanos)).toList();
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> State.of(unlimited, Balance.ZERO, now);
      case LimitSpec.Concurrency concurrency -> State.of(concurrency, Balance.ZERO, now);
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
  private static State again(LimitSpec spec, List<Cell> cells, long since) {
    State state = State.of(spec, Balance.ZERO, cells.getFirst().by(since).atNanos());
    for (Cell cell : cells) {
      state = state.charge(cell.amount(), 0, cell.by(since).atNanos()).next();
    }
    return state;
  }
}
