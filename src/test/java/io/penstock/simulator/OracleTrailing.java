package io.penstock.simulator;

import io.penstock.limit.LimitSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Any trailing window, as a list of cells with the instant at which each stops counting. */
final class OracleTrailing extends OracleLimit {
  private static final long MOST_EXTRA = 500_000_000L;

  private LimitSpec.TrailingWindow spec;

  /** Oldest first. */
  private final ArrayDeque<Cell> cells = new ArrayDeque<>();

  private long sum;
  private long reserved;
  private long fullAt;
  private final OracleLows paceLows = new OracleLows(0, 0);

  /** Where each take went, by a number of its own. */
  private final List<Took> takes = new ArrayList<>();

  /** All that was ever taken. */
  private long total;

  private long extra;

  /** How long the whole burst takes. */
  private long burstTakes;

  /**
   * Free amount from one instant until before another, as long as nothing is taken or given back.
   */
  private long free;

  private long freeFrom;
  private long freeUntil;

  /** A take: the sub-cell it counts in, and the total after it; 0 for a charge. */
  private record Took(long cell, long mark) {}

  private static final class Cell {
    final long index;
    long amount;

    Cell(long index) {
      this.index = index;
    }
  }

  OracleTrailing(LimitSpec.TrailingWindow spec, long now) {
    this.spec = spec;
    this.fullAt = now;
    this.burstTakes = takes(spec.burst());
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
    if (now < freeFrom || now >= freeUntil) {
      count(now);
    }
    return free;
  }

  private void count(long now) {
    long counts = sum;
    freeFrom = now;
    freeUntil = Long.MAX_VALUE;
    for (Cell cell : cells) {
      long until = counted(cell.index) + extra;
      if (until > now) {
        freeUntil = until;
        break;
      }
      counts -= cell.amount;
    }
    free = Math.max(0, spec.capacity() - reserved - counts);
  }

  /** Marks the free amount as out of date. */
  private void changed() {
    freeUntil = Long.MIN_VALUE;
  }

  /** Widens the window by the measured jitter. */
  void widen(long nanos) {
    changed();
    extra = Math.min(nanos, MOST_EXTRA);
  }

  private long takes(long amount) {
    if (amount == LimitSpec.TrailingWindow.UNPACED) {
      return Long.MAX_VALUE / 4; // longer than anything here
    }
    return Math.ceilDiv(Math.multiplyExact(amount, spec.windowNanos()), spec.capacity());
  }

  /** The pace owes whole nanoseconds only, and at most a window and the burst. */
  private void owe(long amount, long now) {
    long nanos = Math.floorDiv(Math.multiplyExact(amount, spec.windowNanos()), spec.capacity());
    long most = now + spec.windowNanos() + burstTakes;
    fullAt = Math.max(fullAt, Math.min(most, Math.max(fullAt, now) + nanos));
  }

  @Override
  long paced(long amount) {
    return fullAt - burstTakes + (amount < spec.burst() ? takes(amount) : burstTakes);
  }

  @Override
  long take(long taken, long reserved, long now) {
    changed();
    this.reserved += reserved;
    settleLows(now);
    owe(taken + reserved, now);
    total += taken + reserved;
    paceLows.taken(total, Math.max(0, fullAt - now));
    return number(add(taken, now), total);
  }

  /**
   * Removes the cells that cannot count again, however much the window is widened. A guard that
   * grows still finds the others.
   */
  private void forget(long now) {
    long span = spec.windowNanos() + spec.guardNanos() + MOST_EXTRA;
    long oldest = now / cellNanos() - span / cellNanos() - 1;
    Cell first = cells.peekFirst();
    while (first != null && first.index < oldest) {
      sum -= first.amount;
      cells.pollFirst();
      first = cells.peekFirst();
    }
  }

  private long add(long amount, long now) {
    forget(now);
    long index = now / cellNanos();
    Cell last = cells.peekLast();
    if (last == null || last.index != index) {
      last = new Cell(index);
      cells.addLast(last);
    }
    last.amount += amount;
    sum += amount;
    return index;
  }

  private long number(long cell, long mark) {
    takes.add(new Took(cell, mark));
    return takes.size() - 1L;
  }

  /** The pace may have run out since: then earlier takes no longer move it. */
  private void settleLows(long now) {
    paceLows.atMost(Math.max(0, fullAt - now));
  }

  private void remove(long index, long amount) {
    for (Iterator<Cell> newest = cells.descendingIterator(); newest.hasNext(); ) {
      Cell cell = newest.next();
      if (cell.index == index && cell.amount >= amount) {
        cell.amount -= amount;
        sum -= amount;
        return;
      }
    }
    throw new InvariantViolation("more was given back than was ever taken from cell " + index);
  }

  @Override
  long move(long number, long taken, long now) {
    Took took = takes.get((int) number);
    if (now / cellNanos() <= took.cell() || counted(took.cell()) + extra <= now) {
      return number;
    }
    changed();
    if (taken > 0) {
      remove(took.cell(), taken);
    }
    return number(add(taken, now), took.mark());
  }

  @Override
  void give(long number, long taken, long reserved, long now) {
    changed();
    long cell = takes.get((int) number).cell();
    long mark = takes.get((int) number).mark();
    boolean counts = taken > 0 && counted(cell) + extra > now;
    if (counts) {
      remove(cell, taken);
    }
    this.reserved -= reserved;
    long back = reserved + (counts ? taken : 0);
    long nanos = Math.floorDiv(Math.multiplyExact(back, spec.windowNanos()), spec.capacity());
    settleLows(now);
    fullAt -= paceLows.give(mark, nanos);
  }

  @Override
  long charge(long take, long amount, long released, long now) {
    long cell = takes.get((int) charge(amount, released, now)).cell();
    return number(cell, takes.get((int) take).mark());
  }

  @Override
  long charge(long amount, long released, long now) {
    changed();
    reserved -= released;
    if (amount > released) {
      settleLows(now);
      owe(amount - released, now);
    }
    return number(add(amount, now), 0);
  }

  @Override
  void resize(LimitSpec next, long now) {
    changed();
    LimitSpec.TrailingWindow window = (LimitSpec.TrailingWindow) next;
    settleLows(now);
    double owed = (double) Math.max(0, fullAt - now) * spec.capacity() / window.capacity();
    fullAt = now + (long) Math.ceil(owed);
    paceLows.scale((double) spec.capacity() / window.capacity());
    spec = window;
    forget(now);
    burstTakes = takes(window.burst());
  }

  @Override
  long held() {
    return reserved;
  }

  @Override
  long subCell() {
    return cellNanos();
  }
}
