package io.penstock.limit;

import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a day limit: the running day and what was charged in it. A day ends at a midnight, or 24
 * h after its first request; the next one begins with the first request after that. All charges end
 * with their day.
 *
 * @param endsAt the instant at which the day ends, guard included
 * @param charged in that day, ≥ 0; above the capacity when that was lowered
 * @param reserved reserved output, kept free in whichever day runs
 */
record DayState(LimitSpec.Day spec, long endsAt, long charged, long reserved)
    implements LocalState {
  /** Midnights are at least 23 hours apart: two within this are the same, after a clock was set. */
  private static final long SAME_MIDNIGHT_NANOS = 3_600_000_000_000L;

  /** The running day ends this close to its planned end, however often it was emptied. */
  private static final long EMPTIED_NANOS = 1_000;

  /** Two readings of a clock differ by less than this. */
  private static final long DRIFT_NANOS = 60_000_000_000L;

  static DayState starting(LimitSpec.Day spec, LimitBalance owed, long now) {
    DayState none = new DayState(spec, now, 0, owed.reserved());
    long charged = AmountBound.sum(owed.charged(), owed.debt());
    return charged == 0 ? none : none.plus(charged, owed.reserved(), now);
  }

  /** Returns a day with the end of the earlier day, at most that of a day that begins now. */
  static DayState restored(LimitSpec.Day spec, List<ChargedCell> cells, long since, long now) {
    DayState none = new DayState(spec, now, 0, 0);
    long latest = none.endOfNext(spec.midnight() == null ? since : now);
    long ends = cells.getLast().by(latest).atNanos();
    long charged = cells.stream().mapToLong(ChargedCell::amount).reduce(0, AmountBound::sum);
    return ends <= now ? none : new DayState(spec, ends, charged, 0);
  }

  /**
   * Returns this day with the end that others report; without charges if its own end is long past.
   * A day that has already begun here, although the one before it is reported still to run for a
   * moment, stays: what was charged to it must not be forgotten when it begins.
   */
  DayState until(long other) {
    long longer = spec.midnight() == null ? LimitSpec.Day.NANOS - DRIFT_NANOS : SAME_MIDNIGHT_NANOS;
    if (charged > 0 && endsAt - other > longer) {
      return this;
    }
    boolean isOver = other - endsAt > SAME_MIDNIGHT_NANOS;
    return new DayState(spec, other, isOver ? 0 : charged, reserved);
  }

  /** Returns whether anything was charged in a day that begins when another one ends, or later. */
  boolean isBeyond(long end, long now) {
    return charged > 0
        && (over(now)
            ? Math.abs(endsAt - end) <= SAME_MIDNIGHT_NANOS
            : endsAt - end > SAME_MIDNIGHT_NANOS);
  }

  /**
   * Returns this day with nothing charged. It ends a nanosecond earlier, so that what was taken
   * before is not given back into it.
   */
  DayState emptied() {
    return new DayState(spec, endsAt - 1, 0, reserved);
  }

  /** Returns this day if it began now and kept what was charged. */
  DayState begunAnew(long now) {
    DayState none = new DayState(spec, now, 0, 0);
    return isIdle(now) ? this : ending(none.endOfNext(now));
  }

  DayState ending(long other) {
    return new DayState(spec, other, charged, reserved);
  }

  /** Returns whether its days begin with their first use, and end 24 hours later. */
  boolean beginsWithFirstUse() {
    return spec.midnight() == null;
  }

  private boolean over(long now) {
    return now >= endsAt;
  }

  private long counting(long now) {
    return over(now) ? 0 : charged;
  }

  boolean isIdle(long now) {
    return counting(now) == 0;
  }

  /** Returns the end of the day that begins with a request at {@code now}. */
  private long endOfNext(long now) {
    ZoneMidnights zoneMidnights = spec.midnight();
    if (zoneMidnights == null) {
      return now + LimitSpec.Day.NANOS + spec.guardNanos();
    }
    long next = zoneMidnights.after(now, now) + spec.guardNanos();
    if (!over(now) && next > endsAt && next - endsAt < EMPTIED_NANOS) {
      return endsAt;
    }
    return charged > 0 && next - endsAt < SAME_MIDNIGHT_NANOS
        ? zoneMidnights.after(next + SAME_MIDNIGHT_NANOS, now) + spec.guardNanos()
        : next;
  }

  private DayState plus(long amount, long held, long now) {
    boolean begins = isIdle(now);
    return begins
        ? new DayState(spec, endOfNext(now), Math.min(amount, AmountBound.MOST), held)
        : new DayState(spec, endsAt, AmountBound.sum(charged, amount), held);
  }

  @Override
  public long room(long now) {
    return Math.max(0, spec.capacity() - reserved - counting(now));
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    if (amount <= room(now)) {
      return now;
    }
    return reserved + amount > spec.capacity() ? Ticker.NEVER : endsAt;
  }

  @Override
  public Taken take(long taken, long held, long now) {
    return charged(taken, held, this.reserved + held, now);
  }

  private Taken charged(long amount, long heldOfIt, long allHeld, long now) {
    DayState next = amount == 0 ? with(charged, allHeld) : plus(amount, allHeld, now);
    return new Taken(next, new LimitAnswer.Receipt(next.endsAt, amount, heldOfIt));
  }

  private DayState with(long charged, long held) {
    return new DayState(spec, endsAt, charged, held);
  }

  @Override
  public LocalState giveBack(long cell, long taken, long held, long now) {
    long back = cell == endsAt ? Math.min(taken, charged) : 0;
    return with(charged - back, Math.max(0, this.reserved - held));
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    return charged(amount, 0, Math.max(0, reserved - released), now);
  }

  @Override
  public LimitBalance balance(long now) {
    return new LimitBalance(counting(now), 0, reserved);
  }

  /** Returns one cell, at the end of the day. */
  @Override
  public List<ChargedCell> cells(long now) {
    long counting = counting(now);
    long owed = AmountBound.sum(counting, reserved);
    return owed == 0
        ? List.of()
        : List.of(new ChargedCell(counting == 0 ? endOfNext(now) : endsAt, owed));
  }

  /**
   * Returns this day with another spec: the running day ends as planned, the next one as the new
   * spec has it.
   */
  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    return next instanceof LimitSpec.Day day ? new DayState(day, endsAt, charged, reserved) : null;
  }
}
