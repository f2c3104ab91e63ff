package io.penstock.limit;

import io.penstock.time.Ticker;
import java.math.BigInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * State of a limit that other regions also count. It admits what it would without them, but no more
 * than its cells have left. The used amount is cur + floor(prev × (1 − elapsed share of the cell)),
 * where cur and prev are what all regions counted in a cell, or more if one of them reported so.
 *
 * <p>When other regions reported nothing, the cells contain nothing that the limit does not count
 * itself, and do not restrict it.
 *
 * @param wrapped the state without other regions
 * @param regionCounts the counts that other regions reported
 * @param newest the last cell in which anything was counted here
 * @param cur the amount counted here in that cell
 * @param prev the amount counted here in the cell before
 * @param reserved reserved output, kept free in whichever cell runs
 * @param deniedCell the last cell in which this limit was the first to deny; {@link Long#MIN_VALUE}
 *     for none
 */
record RegionState(
    LimitState wrapped,
    RegionCounts regionCounts,
    long newest,
    long cur,
    long prev,
    long reserved,
    long deniedCell)
    implements Around {
  /** Bound of a search over windows and cells; the caller searches on at the instant reached. */
  private static final int MOST_STEPS = 16;

  /** Returns a state with what other regions report. */
  static LimitState of(LimitState current, RegionCounts regionCounts, long now) {
    if (!(current instanceof RegionState known)) {
      LimitState own = current.frozen();
      long held = own.balance(now).reserved();
      return new RegionState(own, regionCounts, regionCounts.cell(now), 0, 0, held, Long.MIN_VALUE);
    }
    long cell = regionCounts.cell(now);
    // After a clock was set back, earlier counts move to the cell that runs, so that they are not
    // lost.
    long newest = known.newest > cell + 1 ? cell : known.newest;
    return new RegionState(
        known.wrapped,
        regionCounts,
        newest,
        known.cur,
        known.prev,
        known.reserved,
        known.deniedCell);
  }

  @Override
  public LimitState withoutRegions() {
    return wrapped;
  }

  @Override
  public LimitState changeWithoutRegions(UnaryOperator<LimitState> step) {
    return wrap(step.apply(wrapped).frozen());
  }

  @Override
  public RegionState wrap(LimitState next) {
    return next.equals(wrapped) ? this : with(next, cur, prev, reserved);
  }

  private RegionState with(LimitState next, long cur, long prev, long held) {
    return new RegionState(next, regionCounts, newest, cur, prev, held, deniedCell);
  }

  /** Returns this state in the cell that runs. */
  private RegionState at(long now) {
    long cell = regionCounts.cell(now);
    return cell <= newest
        ? this
        : new RegionState(
            wrapped, regionCounts, cell, 0, cell == newest + 1 ? cur : 0, reserved, deniedCell);
  }

  private long cell(long now) {
    return Math.max(newest, regionCounts.cell(now));
  }

  /** Returns what was counted here in a cell. */
  long here(long cell) {
    return cell == newest ? cur : cell == newest - 1 ? prev : 0;
  }

  private long total(long cell) {
    return regionCounts.cellCounts(cell).with(here(cell));
  }

  /** Returns how much of a cell's length is left at an instant in it. */
  private long remaining(long cell, long now) {
    return Math.min(regionCounts.windowNanos(), regionCounts.start(cell + 1) - now);
  }

  private long used(long now) {
    long cell = cell(now);
    long before = regionCounts.fades() ? total(cell - 1) : 0;
    return AmountBound.sum(total(cell), share(before, remaining(cell, now)));
  }

  /** Returns floor(amount × part ÷ window). */
  private long share(long amount, long part) {
    return scaled(amount, part, 0, regionCounts.windowNanos());
  }

  /** Returns floor((a × b − less) ÷ by), however large a × b is. */
  private static long scaled(long a, long b, long less, long by) {
    if (Math.multiplyHigh(a, b) == 0 && a * b >= 0) {
      return (a * b - less) / by;
    }
    BigInteger exact =
        BigInteger.valueOf(a)
            .multiply(BigInteger.valueOf(b))
            .subtract(BigInteger.valueOf(less))
            .divide(BigInteger.valueOf(by));
    return exact.min(BigInteger.valueOf(AmountBound.MOST)).longValue();
  }

  /**
   * Returns whether other regions restrict it. They do not while an outage lets everything pass.
   */
  private boolean binds(long now) {
    long cell = cell(now);
    boolean said =
        regionCounts.cellCounts(cell).ofOthers()
            || (regionCounts.fades() && regionCounts.cellCounts(cell - 1).ofOthers());
    return said && !(wrapped instanceof CutState cut && cut.cut() instanceof OutageCap.Open);
  }

  /** Returns what the cells have left. */
  private long free(long now) {
    return Math.max(0, capacity(now) - reserved - used(now));
  }

  private boolean clear(long amount, long now) {
    return !binds(now) || amount <= free(now);
  }

  @Override
  public long fullyFreeAt(long now) {
    return wrapped.fullyFreeAt(now);
  }

  @Override
  public long room(long now) {
    long alone = wrapped.room(now);
    return binds(now) ? Math.min(alone, free(now)) : alone;
  }

  @Override
  public LimitRemainder remainder(long now) {
    LimitRemainder alone = wrapped.remainder(now);
    return binds(now)
        ? new LimitRemainder(Math.min(alone.amount(), free(now)), alone.fullNanos())
        : alone;
  }

  @Override
  public long localRoom(long now) {
    return wrapped.localRoom(now);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    if (amount == 0) {
      return wrapped.roomFreeAt(amount, now);
    }
    long at = clears(amount, now);
    for (int step = 0; step < MOST_STEPS; step++) {
      long open = wrapped.roomFreeAt(amount, at);
      if (open <= at) {
        return at;
      }
      if (open == Ticker.NEVER) {
        return at > now
            ? at
            : open; // at that instant the caller asks again for what only others can give
      }
      at = clears(amount, open);
    }
    return at;
  }

  /**
   * Returns the first instant from {@code from} on at which the cells have room for {@code amount}.
   */
  private long clears(long amount, long from) {
    long at = from;
    for (int step = 0; step < MOST_STEPS && !clear(amount, at); step++) {
      long cell = cell(at);
      long end = regionCounts.start(cell + 1);
      long spare = capacity(at) - reserved - amount - total(cell);
      long before = regionCounts.fades() ? total(cell - 1) : 0;
      boolean fits = spare >= 0 && before > 0;
      // floor(before × left ÷ window) ≤ spare
      long left = fits ? scaled(spare + 1, regionCounts.windowNanos(), 1, before) : 0;
      at = Math.max(at + 1, end - Math.min(left, regionCounts.windowNanos()));
    }
    return at;
  }

  @Override
  public long forecastNanos(long ahead, long own, long now) {
    long less = this.wrapped.room(now) - room(now);
    return this.wrapped.forecastNanos(AmountBound.sum(ahead, less), own, now);
  }

  @Override
  public boolean isAwaitingSlices(long amount, long now) {
    return clear(Math.min(amount, capacity(now)), now) && wrapped.isAwaitingSlices(amount, now);
  }

  @Override
  public void recordLack(long amount, long now) {
    wrapped.recordLack(amount, now);
  }

  @Override
  public long windowEndsAt(long amount, long now) {
    long ends = wrapped.windowEndsAt(amount, now);
    return ends == Ticker.NEVER ? ends : clears(amount, Math.max(now, ends));
  }

  @Override
  public @Nullable SliceDemand demand() {
    return wrapped.demand();
  }

  @Override
  public Taken take(long taken, long held, long now) {
    RegionState state = at(now);
    Taken alone = state.wrapped.take(taken, held, now);
    return state.counting(alone, taken, state.reserved + held);
  }

  private Taken counting(Taken alone, long amount, long held) {
    RegionState next = with(alone.next(), AmountBound.sum(cur, amount), prev, held);
    return new Taken(next, alone.receipt().within(newest));
  }

  @Override
  public LimitState giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    RegionState state = at(now);
    long cell = receipt.sequence();
    return state.with(
        state.wrapped.giveBack(receipt, taken, held, now),
        Math.max(0, state.cur - (cell == state.newest ? taken : 0)),
        Math.max(0, state.prev - (cell == state.newest - 1 ? taken : 0)),
        Math.max(0, state.reserved - held));
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    RegionState state = at(now);
    Taken alone = state.wrapped.charge(amount, unheld, now);
    return state.counting(alone, amount, Math.max(0, state.reserved - unheld));
  }

  @Override
  public LimitState withSpec(LimitSpec next, long now) {
    LimitState changed = StateFactory.changed(wrapped, next, now).frozen();
    return RegionCells.sameCells(spec(), next) ? wrap(changed) : changed;
  }

  /**
   * Returns this state once other regions are to be notified that it denied at {@code now}; itself
   * when they are not: they know already, or little was used of the running cell. In that case the
   * request was large, or it is the cell before that denies, of which the others know. Notified of
   * the running cell, they would leave all of it unused, and would deny themselves at the beginning
   * of the next.
   */
  RegionState withDenial(long now) {
    RegionState state = at(now);
    long cell = state.newest;
    long used = regionCounts.cellCounts(cell).counted(state.here(cell));
    boolean known = deniedCell == cell || regionCounts.cellCounts(cell).deniedAmount() > 0;
    return known || used < capacity(now) - used
        ? this
        : new RegionState(wrapped, regionCounts, cell, state.cur, state.prev, reserved, cell);
  }
}
