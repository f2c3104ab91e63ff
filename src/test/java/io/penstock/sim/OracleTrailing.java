package io.penstock.sim;

import io.penstock.limit.LimitSpec;
import java.util.Map;
import java.util.TreeMap;

/** Any trailing window, kept as a list of cells with the instant at which each stops counting. */
final class OracleTrailing extends OracleLimit {
  private static final long MOST_EXTRA = 500_000_000L;

  private LimitSpec.TrailingWindow spec;
  private final TreeMap<Long, Long> cells = new TreeMap<>();
  private long held;
  private long fullAt;
  private long extra;
  private long freeAt = Long.MIN_VALUE;
  private long free;

  OracleTrailing(LimitSpec.TrailingWindow spec, long now) {
    this.spec = spec;
    this.fullAt = now;
  }

  private long cellNanos() {
    return (spec.windowNanos() + 59) / 60;
  }

  private long counted(long cell) {
    return (cell + 1) * cellNanos() + spec.windowNanos() + spec.guardNanos();
  }

  @Override
  LimitSpec spec() {
    return spec;
  }

  @Override
  long capacity() {
    return spec.capacity();
  }

  @Override
  long free(long now) {
    if (freeAt != now) {
      freeAt = now;
      free = count(now);
    }
    return free;
  }

  private long count(long now) {
    long sum = held;
    for (Map.Entry<Long, Long> cell : cells.descendingMap().entrySet()) {
      if (counted(cell.getKey()) + extra <= now) {
        break;
      }
      sum += cell.getValue();
    }
    return Math.max(0, spec.capacity() - sum);
  }

  /** Widens the window by the jitter that was measured. */
  void widen(long nanos) {
    freeAt = Long.MIN_VALUE;
    extra = Math.min(nanos, MOST_EXTRA);
  }

  private long takes(long amount) {
    return Math.ceilDiv(Math.multiplyExact(amount, spec.windowNanos()), spec.capacity());
  }

  /** The pace owes whole nanoseconds only, and never more than a window and the burst. */
  private void owe(long amount, long now) {
    long nanos = Math.floorDiv(Math.multiplyExact(amount, spec.windowNanos()), spec.capacity());
    long most = now + spec.windowNanos() + takes(spec.burst());
    fullAt = Math.max(fullAt, Math.min(most, Math.max(fullAt, now) + nanos));
  }

  @Override
  long paced(long amount) {
    return fullAt - takes(spec.burst()) + takes(Math.min(amount, spec.burst()));
  }

  @Override
  long take(long taken, long held, long now) {
    freeAt = Long.MIN_VALUE;
    this.held += held;
    owe(taken + held, now);
    return add(taken, now);
  }

  private long add(long amount, long now) {
    while (!cells.isEmpty() && counted(cells.firstKey()) + MOST_EXTRA < now) {
      cells.pollFirstEntry();
    }
    long cell = now / cellNanos();
    cells.merge(cell, amount, Long::sum);
    return cell;
  }

  @Override
  void give(long cell, long taken, long held, long now) {
    freeAt = Long.MIN_VALUE;
    boolean counts = taken > 0 && counted(cell) + extra > now;
    if (counts) {
      long left = cells.merge(cell, -taken, Long::sum);
      if (left < 0) {
        throw new Violation("more was given back than was ever taken from cell " + cell);
      }
    }
    this.held -= held;
    long back = held + (counts ? taken : 0);
    fullAt -= Math.floorDiv(Math.multiplyExact(back, spec.windowNanos()), spec.capacity());
  }

  @Override
  long charge(long amount, long unheld, long now) {
    freeAt = Long.MIN_VALUE;
    held -= unheld;
    if (amount > unheld) {
      owe(amount - unheld, now);
    }
    return add(amount, now);
  }

  @Override
  void resize(LimitSpec next, long now) {
    freeAt = Long.MIN_VALUE;
    LimitSpec.TrailingWindow window = (LimitSpec.TrailingWindow) next;
    double owed = (double) Math.max(0, fullAt - now) * spec.capacity() / window.capacity();
    fullAt = now + (long) Math.ceil(owed);
    spec = window;
  }

  @Override
  long held() {
    return held;
  }

  @Override
  long subCell() {
    return cellNanos();
  }
}
