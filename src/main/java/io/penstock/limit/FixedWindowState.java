package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a fixed window: windows of one length that start at the first use and follow each other
 * without gap.
 *
 * <p>Charges beyond the capacity are debt: each window that begins pays part of it, up to its
 * capacity. Once nothing is charged, owed or reserved, the next use starts a new grid.
 *
 * @param start the instant at which the running window began
 * @param charged in the running window, 0 to capacity; more if it passed while nothing limited it
 * @param debt usage that later windows pay
 * @param reserved reserved output, kept free in whichever window runs
 */
record FixedWindowState(
    LimitSpec.FixedWindow spec, long start, long charged, long debt, long reserved)
    implements LocalState {
  /** The part of a window by which two readings of a clock may differ. */
  private static final int DRIFT_DIVISOR = 16;

  static FixedWindowState starting(LimitSpec.FixedWindow spec, LimitBalance owed, long now) {
    return new FixedWindowState(spec, now, 0, 0, owed.reserved())
        .plus(AmountBound.sum(owed.charged(), owed.debt()));
  }

  /**
   * Returns the form in which a limit keeps this state: an equal one that changes in place, or
   * itself when one word cannot express it.
   */
  LocalState storedForm() {
    boolean fitsOneWord = debt == 0 && reserved == 0 && charged <= spec.capacity();
    return fitsOneWord ? new OpenWindow(spec, start, charged) : this;
  }

  /** Returns this state at {@code now}. Windows that ended have paid their part of the debt. */
  private FixedWindowState at(long now) {
    long windows = Math.floorDiv(now - start, spec.windowNanos());
    if (windows <= 0) {
      return this;
    }
    long capacity = spec.capacity();
    // Each window before the last one paid a whole capacity, if that much was owed.
    long owed = windows - 1 > debt / capacity ? 0 : debt - (windows - 1) * capacity;
    long paid = Math.min(owed, capacity);
    long next = start + windows * spec.windowNanos();
    return new FixedWindowState(spec, next, paid, owed - paid, reserved);
  }

  /**
   * Returns this state at {@code now} when the running window began at an instant that others know.
   * Their clock drifts against this one, so that its windows begin a little sooner or later than
   * computed here. A window that has already begun here, although it is now known to begin in a
   * moment, stays: what was charged to it must not be forgotten when it begins.
   *
   * @param begin at most {@code now}, later than a window before it
   */
  FixedWindowState anchored(long begin, long now) {
    long drift = spec.windowNanos() / DRIFT_DIVISOR;
    if (Math.abs(begin - start) <= drift) {
      return beginning(begin);
    }
    FixedWindowState state = at(now);
    long tooSoon = begin + spec.windowNanos() - state.start;
    if (!state.isIdle() && tooSoon > 0 && tooSoon <= drift) {
      return state;
    }
    boolean ended = !state.isIdle() && begin - state.start > spec.windowNanos() / 2;
    long paid = ended ? Math.min(state.debt, spec.capacity()) : 0;
    return ended
        ? new FixedWindowState(spec, begin, paid, state.debt - paid, reserved)
        : state.beginning(begin);
  }

  FixedWindowState beginning(long begin) {
    return new FixedWindowState(spec, begin, charged, debt, reserved);
  }

  boolean isIdle() {
    return charged == 0 && debt == 0 && reserved == 0;
  }

  private FixedWindowState plus(long amount) {
    long fits = Math.min(amount, Math.max(0, spec.capacity() - charged));
    return new FixedWindowState(
        spec, start, charged + fits, AmountBound.sum(debt, amount - fits), reserved);
  }

  @Override
  public LocalState withoutDebt() {
    return new FixedWindowState(spec, start, AmountBound.sum(charged, debt), 0, reserved);
  }

  @Override
  public long room(long now) {
    FixedWindowState state = at(now);
    return Math.max(0, spec.capacity() - state.charged - reserved);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    FixedWindowState state = at(now);
    if (amount <= state.room(now)) {
      return now;
    }
    long spare = spec.capacity() - reserved - amount;
    if (spare < 0) {
      return Ticker.NEVER;
    }
    long windows = 1 + Math.max(0, Math.ceilDiv(state.debt - spare, spec.capacity()));
    return windows > (AmountBound.MOST - state.start) / spec.windowNanos()
        ? Ticker.NEVER
        : state.start + windows * spec.windowNanos();
  }

  @Override
  public Taken take(long taken, long held, long now) {
    FixedWindowState state = at(now);
    long begin = state.isIdle() ? Math.max(now, state.start) : state.start;
    FixedWindowState next =
        new FixedWindowState(spec, begin, state.charged + taken, state.debt, state.reserved + held);
    return new Taken(next, new LimitAnswer.Receipt(begin, taken, held));
  }

  @Override
  public LocalState giveBack(long cell, long taken, long held, long now) {
    FixedWindowState state = at(now);
    long back = state.start == cell ? Math.min(taken, state.charged + state.debt) : 0;
    // A charge beyond the capacity of the window became debt, so debt is given back first.
    long forgiven = Math.min(back, state.debt);
    return new FixedWindowState(
        spec,
        state.start,
        state.charged - (back - forgiven),
        state.debt - forgiven,
        Math.max(0, state.reserved - held));
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    FixedWindowState state = at(now);
    FixedWindowState let =
        new FixedWindowState(
            spec, state.start, state.charged, state.debt, Math.max(0, state.reserved - released));
    return new Taken(let.plus(amount), new LimitAnswer.Receipt(let.start, amount, 0));
  }

  @Override
  public LimitBalance balance(long now) {
    FixedWindowState state = at(now);
    return new LimitBalance(state.charged, state.debt, state.reserved);
  }

  /** Returns one cell at the start of the running window, so that its grid goes on. */
  @Override
  public List<ChargedCell> cells(long now) {
    FixedWindowState state = at(now);
    long owed = AmountBound.sum(AmountBound.sum(state.charged, state.debt), reserved);
    return owed == 0 ? List.of() : List.of(new ChargedCell(state.start, owed));
  }

  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    if (next instanceof LimitSpec.FixedWindow window
        && window.windowNanos() == spec.windowNanos()) {
      FixedWindowState state = at(now);
      return new FixedWindowState(window, state.start, 0, 0, state.reserved)
          .plus(AmountBound.sum(Math.min(state.charged, spec.capacity()), state.debt));
    }
    return null;
  }
}
