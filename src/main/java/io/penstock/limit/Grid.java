package io.penstock.limit;

/**
 * The cells of a shared limit as they lie on this instance's own clock, about: which cell an
 * overrun is counted in. What may be spent when is said exactly, by {@link Span}.
 *
 * @param cell one of them, or {@link #NONE} when none runs
 * @param startNanos about when it starts
 * @param cellNanos how long each is, ≥ 1; {@link Long#MAX_VALUE} when there is one, that never ends
 * @param step how much above a cell's number that of the next is; 0 when nobody knows the next one
 */
public record Grid(long cell, long startNanos, long cellNanos, long step) {
  /** No cell. */
  public static final long NONE = -1;

  /** Cells of one length, numbered one by one. */
  public Grid(long cell, long startNanos, long cellNanos) {
    this(cell, startNanos, cellNanos, 1);
  }

  /** No cell runs, and nobody knows when one will. */
  public static Grid none(long now) {
    return new Grid(NONE, now, Long.MAX_VALUE, 0);
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

  /** A window or day as it begins and ends when its cell does. */
  State aligned(State local, long now) {
    long at = cellAt(now);
    return switch (local) {
      case FixedWindowState fixed when at != NONE -> fixed.anchored(startOf(at), now);
      case DayState day when at != NONE -> day.until(endOf(at));
      default -> local;
    };
  }

  /** A limit as another one; days that begin at other times begin now, with what was charged. */
  static State become(State own, LimitSpec next, long now) {
    State changed = own.become(next, now).frozen();
    boolean same = Partition.sameCells(own.spec(), next);
    return changed instanceof DayState day && !same ? day.begunAnew(now) : changed;
  }

  /** One that was idle, and would begin with its first use. */
  State begun(State next, long now) {
    long at = cellAt(now);
    return switch (next) {
      case FixedWindowState fixed when at != NONE -> fixed.beginning(startOf(at));
      case DayState day when at != NONE -> day.ending(endOf(at));
      default -> next;
    };
  }

  /**
   * When the slice of a cell may be spent: from the first of these instants until before the other
   * the cell runs for certain, and the slice is valid.
   *
   * @param fromNanos by this instance's own clock
   * @param untilNanos at most {@code fromNanos} when it may never be
   */
  public record Span(long fromNanos, long untilNanos) {
    /** Never. */
    public static final Span NEVER = new Span(Long.MAX_VALUE, Long.MIN_VALUE);

    boolean runs(long now) {
      return fromNanos <= now && now < untilNanos;
    }
  }
}
