package io.penstock.limit;

import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import org.jspecify.annotations.Nullable;

/**
 * State of a limit that other instances also count, and report a little later: room = capacity −
 * own − others. The balance and the remembered cells cover only what was counted here.
 *
 * <p>Fixed windows are the cells of the Unix clock, so that all instances have the same windows.
 *
 * @param wrapped the state without the others
 * @param peerCounts what the others counted
 * @param demand the waiters for this limit
 */
record CountedState(LimitState wrapped, PeerCounts peerCounts, SliceDemand demand)
    implements Around {
  /**
   * Returns a limit's state with what others counted. A limit without a window stays as it is,
   * because it has no cells to count in; a limit shared in slices stays, because slices are more
   * precise.
   */
  static LimitState of(LimitState current, PeerCounts others, SliceDemand sliceDemand, long now) {
    if (current instanceof CountedState counted) {
      return new CountedState(counted.wrapped(), others, sliceDemand);
    }
    if (current instanceof SharedState) {
      return current; // slices are more precise
    }
    LimitState own = current.frozen();
    return switch (own.spec()) {
      case LimitSpec.FixedWindow window ->
          new CountedState(aligned(own, window, others, now), others, sliceDemand);
      case LimitSpec.TrailingWindow window -> new CountedState(own, others, sliceDemand);
      case LimitSpec.SlidingWindow window -> new CountedState(own, others, sliceDemand);
      case LimitSpec.Day day -> new CountedState(own, others, sliceDemand);
      case LimitSpec.Unlimited unlimited -> current;
      case LimitSpec.Strict strict -> current;
      case LimitSpec.TokenBucket bucket -> current;
      case LimitSpec.Concurrency concurrency -> current;
    };
  }

  /**
   * Returns a window on the grid of the Unix clock. Its debt so far is charged to the running cell.
   */
  private static LimitState aligned(
      LimitState own, LimitSpec.FixedWindow window, PeerCounts others, long now) {
    return FixedWindowState.starting(window, own.balance(now), others.cellStart(now));
  }

  /**
   * Returns this state on the grid of cells: a window without charges starts when the running cell
   * does.
   */
  private CountedState at(long now) {
    if (wrapped instanceof FixedWindowState window) {
      LimitBalance owed = window.balance(now);
      if (owed.charged() == 0 && owed.debt() == 0) {
        long start = peerCounts.cellStart(now);
        return wrap(new FixedWindowState(window.spec(), start, 0, 0, owed.reserved()));
      }
    }
    return this;
  }

  @Override
  public CountedState wrap(LimitState next) {
    return next.equals(wrapped) ? this : new CountedState(next, peerCounts, demand);
  }

  /** Returns what others counted, as far as it counts at {@code now}. */
  private long foreign(long now) {
    return wrapped.spec() instanceof LimitSpec.FixedWindow
        ? peerCounts.inCell(now)
        : peerCounts.trailing(now, span(now));
  }

  /** Returns the instant after {@code now} at which {@link #foreign} is less if no report comes. */
  private long less(long now) {
    return switch (wrapped.spec()) {
      case LimitSpec.FixedWindow window -> peerCounts.cellStart(now) + window.windowNanos();
      case LimitSpec.Day day -> lessOfDay(day.midnight(), now);
      case LimitSpec spec -> peerCounts.less(now, span(now));
    };
  }

  /** Returns how long an amount that others counted counts, in nanoseconds. */
  private long span(long now) {
    return switch (wrapped.spec()) {
      case LimitSpec.TrailingWindow window -> window.windowNanos() + window.guardNanos();
      case LimitSpec.SlidingWindow window -> window.windowNanos();
      case LimitSpec.Day day -> spanOfDay(day.midnight(), now);
      case LimitSpec spec -> 0;
    };
  }

  private long lessOfDay(@Nullable ZoneMidnights zoneMidnights, long now) {
    return zoneMidnights == null
        ? peerCounts.less(now, LimitSpec.Day.NANOS)
        : zoneMidnights.after(now, now);
  }

  /**
   * Returns how long an amount counts in a day. A day that begins with its first use has no
   * beginning that all instances know, so there it is 24 h.
   */
  private static long spanOfDay(@Nullable ZoneMidnights zoneMidnights, long now) {
    return zoneMidnights == null ? LimitSpec.Day.NANOS : now - begin(zoneMidnights, now);
  }

  /** Returns the last midnight before or at {@code now}. */
  private static long begin(ZoneMidnights zoneMidnights, long now) {
    long begin = zoneMidnights.after(now - zoneMidnights.apartNanos(), now);
    for (long next = begin; next <= now; next = zoneMidnights.after(next, now)) {
      begin = next;
    }
    return Math.min(begin, now);
  }

  @Override
  public long room(long now) {
    return Math.max(0, wrapped.room(now) - foreign(now));
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    CountedState state = at(now);
    long instant = state.wrapped.roomFreeAt(amount, now);
    while (amount > 0 && instant < Ticker.NEVER && state.room(instant) < amount) {
      long need = AmountBound.sum(amount, state.foreign(instant));
      long enough =
          need <= state.capacity(instant) ? state.wrapped.roomFreeAt(need, instant) : instant;
      long less = state.less(instant);
      instant = enough > instant ? Math.min(enough, less) : less;
    }
    return instant;
  }

  @Override
  public long forecastNanos(long ahead, long own, long now) {
    return this.wrapped.forecastNanos(AmountBound.sum(ahead, foreign(now)), own, now);
  }

  @Override
  public Taken take(long taken, long held, long now) {
    CountedState state = at(now);
    Taken next = state.wrapped.take(taken, held, now);
    if (state.wrapped instanceof FixedWindowState before
        && next.next() instanceof FixedWindowState after
        && before.charged() == 0
        && before.debt() == 0) {
      // Without others, the window would begin a grid with its first use.
      FixedWindowState aligned =
          new FixedWindowState(
              after.spec(), before.start(), after.charged(), after.debt(), after.reserved());
      return new Taken(state.wrap(aligned), new LimitAnswer.Receipt(before.start(), taken, held));
    }
    return state.with(next);
  }

  private Taken with(Taken next) {
    return new Taken(wrap(next.next()), next.receipt());
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    CountedState state = at(now);
    return state.with(state.wrapped.charge(amount, unheld, now));
  }

  @Override
  public LimitState uncounted() {
    return wrapped;
  }

  @Override
  public LimitState withoutDebt() {
    return wrap(wrapped.withoutDebt());
  }

  @Override
  public LimitState withSpec(LimitSpec next, long now) {
    LimitState limitState = StateFactory.changed(wrapped, next, now);
    return peerCounts.matches(next) ? of(limitState, peerCounts, demand, now) : limitState;
  }
}
