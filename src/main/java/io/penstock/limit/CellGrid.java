package io.penstock.limit;

import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Approximate position of the cells of a shared limit on this instance's own clock. It decides in
 * which cell an overrun is counted.
 *
 * @param cell the number of one of the cells, or {@link #NONE} when none runs
 * @param startNanos about when that cell starts
 * @param cellNanos the length of a cell, ≥ 1; {@link Long#MAX_VALUE} for a single cell that never
 *     ends
 * @param step the difference between the numbers of a cell and the next; 0 if the next is unknown
 */
public record CellGrid(long cell, long startNanos, long cellNanos, long step) {
  /** No cell. */
  public static final long NONE = -1;

  /** Creates a grid of cells of one length, numbered consecutively. */
  public CellGrid(long cell, long startNanos, long cellNanos) {
    this(cell, startNanos, cellNanos, 1);
  }

  /** Returns a grid without a running cell, when it is not known when one will run. */
  public static CellGrid none(long now) {
    return new CellGrid(NONE, now, Long.MAX_VALUE, 0);
  }

  long cellAt(long now) {
    if (cellNanos == Long.MAX_VALUE) {
      return cell;
    }
    long after = Math.floorDiv(now - startNanos, cellNanos);
    return after > 0 && step == 0 ? NONE : cell + after * step;
  }

  long startOf(long other) {
    boolean one = cellNanos == Long.MAX_VALUE || step == 0;
    return one ? startNanos : startNanos + Math.floorDiv(other - cell, step) * cellNanos;
  }

  long endOf(long other) {
    return startOf(other) + cellNanos;
  }

  /** Returns a window or day with the start and end of its cell; other limits as they are. */
  LocalState aligned(LocalState local, long now) {
    long at = cellAt(now);
    return switch (local) {
      case FixedWindowState fixed when at != NONE -> fixed.anchored(startOf(at), now);
      case DayState day when at != NONE -> day.until(endOf(at));
      default -> local;
    };
  }

  /**
   * Returns a limit with another spec. If its days begin at other times, a day begins now and keeps
   * what was charged.
   */
  static LocalState become(LocalState own, LimitSpec next, long now) {
    LocalState changed = StateFactory.changed(own, next, now).frozen();
    return changed instanceof DayState day && !endsAsBefore(own.spec(), day.spec())
        ? day.begunAnew(now)
        : changed;
  }

  private static boolean endsAsBefore(LimitSpec before, LimitSpec.Day next) {
    return before instanceof LimitSpec.Day day && Objects.equals(zone(day), zone(next));
  }

  private static @Nullable ZoneId zone(LimitSpec.Day day) {
    return day.midnight() == null ? null : day.midnight().zone();
  }

  /**
   * Returns a window or day after something was taken from it. One that was idle begins with its
   * cell instead of its first use.
   *
   * @param before the {@linkplain #aligned aligned} state before that
   */
  LocalState begun(LocalState before, LocalState next, long now) {
    if (cellAt(now) == NONE) {
      return next;
    }
    return switch (next) {
      case FixedWindowState fixed when before instanceof FixedWindowState idle && idle.isIdle() ->
          fixed.beginning(idle.start());
      case DayState day when before instanceof DayState idle && idle.isIdle(now) ->
          day.ending(idle.endsAt());
      default -> next;
    };
  }
}
