package io.penstock.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a sliding window with too large a capacity to remember single releases. It counts in 60
 * sub-cells, rounded against the caller: a release counts up to a sixtieth of the window too long.
 */
record SlidingCellsState(LimitSpec.SlidingWindow spec, LocalState cells) implements LocalState {

  static SlidingCellsState starting(LimitSpec.SlidingWindow spec, LimitBalance owed, long now) {
    return new SlidingCellsState(spec, TrailingWindowState.starting(cells(spec), owed, now));
  }

  static SlidingCellsState restored(
      LimitSpec.SlidingWindow spec, List<ChargedCell> cells, long since) {
    return new SlidingCellsState(spec, TrailingWindowState.restored(cells(spec), cells, since));
  }

  private static LimitSpec.TrailingWindow cells(LimitSpec.SlidingWindow spec) {
    return new LimitSpec.TrailingWindow(spec.capacity(), spec.windowNanos(), 0, spec.capacity());
  }

  private SlidingCellsState with(LocalState next) {
    return new SlidingCellsState(spec, next);
  }

  private Taken with(Taken taken) {
    return new Taken(with(taken.next()), taken.receipt());
  }

  @Override
  public long room(long now) {
    return cells.room(now);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    return cells.roomFreeAt(amount, now);
  }

  @Override
  public Taken take(long taken, long reserved, long now) {
    return with(cells.take(taken, reserved, now));
  }

  @Override
  public LocalState giveBack(long cell, long taken, long reserved, long now) {
    return with(cells.giveBack(cell, taken, reserved, now));
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    return with(cells.charge(amount, released, now));
  }

  @Override
  public LimitBalance balance(long now) {
    return cells.balance(now);
  }

  @Override
  public List<ChargedCell> cells(long now) {
    return cells.cells(now);
  }

  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    if (next instanceof LimitSpec.SlidingWindow window
        && window.capacity() > SlidingWindowState.MOST_INSTANTS) {
      LocalState changed = cells.withSpec(cells(window), now);
      return changed == null ? null : new SlidingCellsState(window, changed);
    }
    return null;
  }
}
