package io.penstock.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a strict rate: slots are 1/rate apart, slot k at {@code anchor + ceil(k × 10⁹ ÷ rate)}.
 *
 * <p>After {@code rate.releases()} slots a whole number of seconds has passed, so the anchor moves
 * there: k stays small and rounding errors do not add up.
 *
 * <p>A release may come {@code earlyNanos} before its slot, and the slots stay where they are. Any
 * time t has at most 1 + (t + earlyNanos) ÷ interval releases that are not late, and after idleness
 * at most 1 + earlyNanos ÷ interval pass at once.
 *
 * @param anchor the instant of slot 0
 * @param slot the next free slot, 0 to releases − 1
 */
record StrictState(LimitSpec.Strict spec, long anchor, long slot) implements LocalState {
  /** A release that is later than this, and than one interval, starts a new grid. */
  private static final long LATE_NANOS = 5_000_000;

  /**
   * How long ago the first slot was, before any use: more than any interval, so that it can be
   * used.
   */
  private static final long LONG_AGO_NANOS = Long.MAX_VALUE / 4;

  static StrictState fresh(LimitSpec.Strict spec, long now) {
    return new StrictState(spec, now - LONG_AGO_NANOS, 0);
  }

  /**
   * Returns a state with the slot used last by an earlier limit: the next one comes an interval
   * later.
   */
  static StrictState restored(LimitSpec.Strict spec, List<ChargedCell> cells, long since) {
    long latest = since + Math.min(spec.earlyNanos(), LONG_AGO_NANOS);
    return new StrictState(spec, cells.getLast().by(latest).atNanos(), 0).after();
  }

  /** Returns a state with a slot that was used now: the next one comes an interval later. */
  static StrictState justUsed(LimitSpec.Strict spec, long now) {
    return new StrictState(spec, now, 0).after();
  }

  private long next() {
    return anchor + spec.rate().slotNanos(slot);
  }

  /** Returns the instant from which the next slot may be used. */
  private long roomFreeAt() {
    return next() - Math.min(spec.earlyNanos(), LONG_AGO_NANOS);
  }

  @Override
  public long room(long now) {
    return now >= roomFreeAt() ? 1 : 0;
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    return Math.max(now, roomFreeAt());
  }

  @Override
  public Taken take(long taken, long reserved, long now) {
    StrictState from = late(now) ? new StrictState(spec, now, 0) : this;
    return new Taken(from.after(), new LimitAnswer.Receipt(from.next(), 1, 0));
  }

  private boolean late(long now) {
    return now - next() > Math.max(spec.rate().intervalNanos(), LATE_NANOS);
  }

  /** Returns whether the next slot has come, not only the time before it in which it is used. */
  boolean isDue(long now) {
    return now >= next();
  }

  /** Returns this state without slots before now. */
  StrictState begunAnew(long now) {
    return isDue(now) && !late(now) ? new StrictState(spec, now, 0) : this;
  }

  private StrictState after() {
    long releases = spec.rate().releases();
    return slot + 1 < releases
        ? new StrictState(spec, anchor, slot + 1)
        : new StrictState(spec, anchor + spec.rate().slotNanos(releases), 0);
  }

  private StrictState before() {
    long releases = spec.rate().releases();
    return slot > 0
        ? new StrictState(spec, anchor, slot - 1)
        : new StrictState(spec, anchor - spec.rate().slotNanos(releases), releases - 1);
  }

  /**
   * Gives back only the slot that was used last: giving back one before it would put a release out
   * of place.
   */
  @Override
  public LocalState giveBack(long cell, long taken, long reserved, long now) {
    StrictState before = before();
    return taken == 1 && before.next() == cell ? before : this;
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    return new Taken(this, new LimitAnswer.Receipt(next(), 0, 0));
  }

  @Override
  public LimitBalance balance(long now) {
    return LimitBalance.ZERO;
  }

  /** Returns one cell, the slot used last, while the one after it is still to come. */
  @Override
  public List<ChargedCell> cells(long now) {
    return next() <= now ? List.of() : List.of(new ChargedCell(before().next(), 1));
  }

  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    if (!(next instanceof LimitSpec.Strict strict)) {
      return null;
    }
    // The slot used last stays: the next one comes one new interval after it.
    return justUsed(strict, before().next());
  }
}
