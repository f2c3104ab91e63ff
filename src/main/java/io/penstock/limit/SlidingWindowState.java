package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of an exact sliding window, which remembers each release: one at t counts from t on, and no
 * longer at t plus the window.
 *
 * @param instants of releases. The newest 4,096 are kept, however small the capacity, because it
 *     may grow again
 * @param reserved reserved output, kept free whichever releases count
 */
record SlidingWindowState(LimitSpec.SlidingWindow spec, SortedInstants instants, long reserved)
    implements LocalState {
  /** Above this capacity, sub-cells replace instants. */
  static final int MOST_INSTANTS = 4_096;

  static SlidingWindowState starting(LimitSpec.SlidingWindow spec, LimitBalance owed, long now) {
    return new SlidingWindowState(spec, SortedInstants.NONE, owed.reserved())
        .plus(AmountBound.sum(owed.charged(), owed.debt()), owed.reserved(), now);
  }

  /** Returns {@code now}, or the newest release if that is later. */
  private long own(long now) {
    return Math.max(now, instants.newestOr(now));
  }

  /** Returns how many of the oldest releases no longer count. */
  private int over(long now) {
    return instants.upTo(own(now) - spec.windowNanos());
  }

  private int counting(long now) {
    return instants.size() - over(now);
  }

  private SlidingWindowState plus(long amount, long held, long now) {
    int count = (int) Math.min(amount, MOST_INSTANTS);
    if (count == 0) {
      return new SlidingWindowState(spec, instants, held);
    }
    int tooMany = instants.size() + count - MOST_INSTANTS;
    int forgotten = Math.max(over(now), tooMany);
    return new SlidingWindowState(spec, instants.plus(own(now), count, forgotten), held);
  }

  @Override
  public long room(long now) {
    return Math.max(0, spec.capacity() - reserved - counting(now));
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    if (amount == 0 || amount <= room(now)) {
      return now;
    }
    long spare = spec.capacity() - reserved - amount;
    if (spare < 0) {
      return Ticker.NEVER;
    }
    long last = instants.get(instants.size() - 1 - (int) spare);
    return last + spec.windowNanos();
  }

  @Override
  public Taken take(long taken, long held, long now) {
    return new Taken(
        plus(taken, this.reserved + held, now), new LimitAnswer.Receipt(own(now), taken, held));
  }

  @Override
  public LocalState giveBack(long cell, long taken, long held, long now) {
    SortedInstants left = taken == 0 ? instants : instants.minus(cell, taken);
    return new SlidingWindowState(spec, left, Math.max(0, this.reserved - held));
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    return new Taken(
        plus(amount, Math.max(0, reserved - released), now),
        new LimitAnswer.Receipt(own(now), amount, 0));
  }

  @Override
  public LimitBalance balance(long now) {
    return new LimitBalance(counting(now), 0, reserved);
  }

  @Override
  public List<ChargedCell> cells(long now) {
    List<ChargedCell> cells = new ArrayList<>();
    long newest = instants.newestOr(now);
    int from = over(now);
    while (from < instants.size()) {
      long instant = instants.get(from);
      int to = instants.upTo(instant);
      boolean last = instant == newest && newest >= now;
      cells.add(new ChargedCell(instant, to - from + (last ? reserved : 0)));
      from = to;
    }
    if (reserved > 0 && (cells.isEmpty() || newest < now)) {
      cells.add(new ChargedCell(now, reserved));
    }
    return cells;
  }

  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    if (next instanceof LimitSpec.SlidingWindow window
        && window.windowNanos() == spec.windowNanos()
        && window.capacity() <= MOST_INSTANTS) {
      return new SlidingWindowState(window, instants, reserved);
    }
    return null;
  }
}
