package io.penstock.limit;

import io.penstock.time.Midnight;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * A limit of which others count too, and say so a little later: room = capacity − own − others.
 * What is owed, and remembered, is what was counted here alone.
 *
 * <p>A fixed window is the cell of the Unix clock, so that it is the same one for all.
 *
 * @param own what it would be without them
 * @param others what they counted
 * @param demand who waits for it
 */
record CountedState(State own, Foreign others, Demand demand) implements Around {
  /** A limit without a window has no cells to count in, one of slices no need to: it stays. */
  static State of(State current, Foreign others, Demand demand, long now) {
    if (current instanceof CountedState counted) {
      return new CountedState(counted.own(), others, demand);
    }
    if (current instanceof SharedState) {
      return current; // slices say more
    }
    State own = current.frozen();
    return switch (own.spec()) {
      case LimitSpec.FixedWindow window ->
          new CountedState(aligned(own, window, others, now), others, demand);
      case LimitSpec.TrailingWindow window -> new CountedState(own, others, demand);
      case LimitSpec.SlidingWindow window -> new CountedState(own, others, demand);
      case LimitSpec.Day day -> new CountedState(own, others, demand);
      case LimitSpec.Unlimited unlimited -> current;
      case LimitSpec.Strict strict -> current;
      case LimitSpec.TokenBucket bucket -> current;
      case LimitSpec.Concurrency concurrency -> current;
    };
  }

  /** What it owed before others counted too is charged to the running cell. */
  private static State aligned(State own, LimitSpec.FixedWindow window, Foreign others, long now) {
    return FixedWindowState.starting(window, own.balance(now), others.cellStart(now));
  }

  /** This state on the grid of cells: a window that has charged nothing yet is the running one. */
  private CountedState at(long now) {
    if (own instanceof FixedWindowState window) {
      Balance owed = window.balance(now);
      if (owed.charged() == 0 && owed.debt() == 0) {
        long start = others.cellStart(now);
        return around(new FixedWindowState(window.spec(), start, 0, 0, owed.held()));
      }
    }
    return this;
  }

  @Override
  public CountedState around(State next) {
    return next.equals(own) ? this : new CountedState(next, others, demand);
  }

  /** What others counted that counts at {@code now}. */
  private long foreign(long now) {
    return own.spec() instanceof LimitSpec.FixedWindow
        ? others.inCell(now)
        : others.trailing(now, span(now));
  }

  /** The instant after {@code now} at which that is less, if nothing more is heard. */
  private long less(long now) {
    return switch (own.spec()) {
      case LimitSpec.FixedWindow window -> others.cellStart(now) + window.windowNanos();
      case LimitSpec.Day day -> lessOfDay(day.midnight(), now);
      case LimitSpec spec -> others.less(now, span(now));
    };
  }

  /** For how long what others counted counts. */
  private long span(long now) {
    return switch (own.spec()) {
      case LimitSpec.TrailingWindow window -> window.windowNanos() + window.guardNanos();
      case LimitSpec.SlidingWindow window -> window.windowNanos();
      case LimitSpec.Day day -> spanOfDay(day.midnight(), now);
      case LimitSpec spec -> 0;
    };
  }

  private long lessOfDay(@Nullable Midnight midnight, long now) {
    return midnight == null ? others.less(now, LimitSpec.Day.NANOS) : midnight.after(now, now);
  }

  /** A day that begins with its first use has no beginning that others could know. */
  private static long spanOfDay(@Nullable Midnight midnight, long now) {
    return midnight == null ? LimitSpec.Day.NANOS : now - begin(midnight, now);
  }

  /** The last of the midnights before, or at, {@code now}. */
  private static long begin(Midnight midnight, long now) {
    long begin = midnight.after(now - midnight.apartNanos(), now);
    for (long next = begin; next <= now; next = midnight.after(next, now)) {
      begin = next;
    }
    return Math.min(begin, now);
  }

  @Override
  public long room(long now) {
    return Math.max(0, own.room(now) - foreign(now));
  }

  @Override
  public long opens(long amount, long now) {
    CountedState state = at(now);
    long instant = state.own.opens(amount, now);
    while (amount > 0 && instant < Ticker.NEVER && state.room(instant) < amount) {
      long need = State.sum(amount, state.foreign(instant));
      long enough = need <= state.capacity(instant) ? state.own.opens(need, instant) : instant;
      long less = state.less(instant);
      instant = enough > instant ? Math.min(enough, less) : less;
    }
    return instant;
  }

  @Override
  public long forecast(long ahead, long own, long now) {
    return this.own.forecast(State.sum(ahead, foreign(now)), own, now);
  }

  @Override
  public Taken take(long taken, long held, long now) {
    CountedState state = at(now);
    Taken next = state.own.take(taken, held, now);
    if (state.own instanceof FixedWindowState before
        && next.next() instanceof FixedWindowState after
        && before.charged() == 0
        && before.debt() == 0) {
      // Alone it would begin a grid with its first use.
      FixedWindowState aligned =
          new FixedWindowState(
              after.spec(), before.start(), after.charged(), after.debt(), after.held());
      return new Taken(state.around(aligned), new Answer.Receipt(before.start(), taken, held));
    }
    return state.with(next);
  }

  private Taken with(Taken next) {
    return new Taken(around(next.next()), next.receipt());
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    CountedState state = at(now);
    return state.with(state.own.charge(amount, unheld, now));
  }

  @Override
  public State uncounted() {
    return own;
  }

  @Override
  public State forgiven() {
    return around(own.forgiven());
  }

  @Override
  public State become(LimitSpec next, long now) {
    State state = own.become(next, now);
    return others.of(next) ? of(state, others, demand, now) : state;
  }
}
