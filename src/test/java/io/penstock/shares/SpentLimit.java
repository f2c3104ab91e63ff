package io.penstock.shares;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * A limit as an instance of the simulation keeps it: as little as each kind needs. It shares no
 * code with the limits of the program.
 */
final class SpentLimit implements WorldLimit {
  /** The kind of a limit and its size. */
  record Terms(Kind kind, long capacity, long windowNanos) {}

  /** Kinds of limits. */
  enum Kind {
    TRAILING,
    FIXED,
    DAY,
    FIRST_USE,
    BUCKET,
    PERMITS,
    /** One at a time, a window apart. */
    STRICT
  }

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  /** For how long after the end of a window what was spent in it is stated, too. */
  private static final long EDGE_NANOS = 2 * SECOND;

  private record Spent(long nanos, long amount) {}

  private record Waiting(long amount, Runnable go) {}

  /** The wall clock of the instance. */
  interface Wall {
    long unixNanos(long now);
  }

  private final Terms terms;
  private final ShareLease lease;
  private final Wall wall;
  private final Runnable hurry;
  private final Deque<Spent> spent = new ArrayDeque<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long share;
  private long later;
  private long shareCell;
  private long inWindow;
  private long cell;

  /** The instant at which a day began with its first use; 0 if none runs. */
  private long begin;

  private long endedMillis;
  private long inCell;
  private long inEarlierCell;
  private double level;
  private long filledNanos;
  private long permits;

  SpentLimit(Terms terms, ShareLease lease, Wall wall, Runnable hurry) {
    this.terms = terms;
    this.lease = lease;
    this.wall = wall;
    this.hurry = hurry;
  }

  private long capacity() {
    return terms.capacity();
  }

  private boolean isTrailing() {
    return terms.kind() == Kind.TRAILING || terms.kind() == Kind.STRICT;
  }

  private boolean isDay() {
    return terms.kind() == Kind.DAY;
  }

  private boolean isFirstUse() {
    return terms.kind() == Kind.FIRST_USE;
  }

  private long unixMillis(long now) {
    return wall.unixNanos(now) / MILLI;
  }

  /** Ends a day that began with its first use, and after its edge forgets what was spent in it. */
  private void endDay(long now) {
    long length = terms.windowNanos() / MILLI;
    long unix = unixMillis(now);
    if (begin > 0 && unix >= begin + length) {
      endedMillis = begin + length;
      begin = 0;
      share = Math.min(share, later);
      inEarlierCell = inCell;
      inCell = 0;
    }
    if (unix >= endedMillis + EDGE_NANOS / MILLI) {
      inEarlierCell = 0;
    }
  }

  /** Lets what ended end, and the bucket fill. */
  private void pass(long now) {
    // a little longer than the window, because clocks run differently fast
    long window = isTrailing() ? terms.windowNanos() : EDGE_NANOS;
    long counts = window + window / 1_000;
    while (!spent.isEmpty() && spent.peekFirst().nanos() <= now - counts) {
      inWindow -= spent.removeFirst().amount();
    }
    if (terms.kind() == Kind.FIXED || isDay()) {
      long running = wall.unixNanos(now) / terms.windowNanos() + 1;
      if (running > cell) {
        inEarlierCell = running == cell + 1 ? inCell : 0;
        inCell = 0;
        cell = running;
      }
    }
    if (isFirstUse()) {
      endDay(now);
    }
    if (terms.kind() == Kind.BUCKET) {
      double rate = (double) share / terms.windowNanos(); // full after one window
      level = Math.min((double) share, level + rate * (now - filledNanos) * 0.999);
      filledNanos = now;
    }
  }

  private long least() {
    return switch (terms.kind()) {
      case TRAILING, STRICT -> inWindow;
      case FIXED, DAY, FIRST_USE -> inCell;
      case BUCKET -> 0;
      case PERMITS -> permits;
    };
  }

  private long used() {
    return terms.kind() == Kind.BUCKET ? share - (long) level : least();
  }

  private long decayMillis(long now) {
    long nanos =
        switch (terms.kind()) {
          case TRAILING, STRICT -> terms.windowNanos();
          case FIXED -> terms.windowNanos() + EDGE_NANOS;
          case DAY -> 2 * terms.windowNanos() - intoCell(now) + EDGE_NANOS;
          case FIRST_USE -> 2 * terms.windowNanos() + EDGE_NANOS;
          case BUCKET -> 0;
          case PERMITS -> terms.windowNanos();
        };
    return nanos / MILLI + 1;
  }

  private long intoCell(long now) {
    return wall.unixNanos(now) % terms.windowNanos();
  }

  private long right() {
    return isDay() && cell > shareCell ? Math.min(share, later) : share;
  }

  private long room() {
    return switch (terms.kind()) {
      case TRAILING, STRICT -> share - inWindow;
      case FIXED, DAY, FIRST_USE -> right() - inCell;
      case BUCKET -> (long) level;
      case PERMITS -> share - permits;
    };
  }

  @Override
  public void arrive(long amount, Runnable go, long now) {
    waiting.addLast(new Waiting(amount, go));
    look(now);
    if (!waiting.isEmpty()) {
      hurry.run();
    }
  }

  @Override
  public void leave() {
    waiting.pollFirst();
  }

  @Override
  public void look(long now) {
    pass(now);
    while (!waiting.isEmpty() && lease.holds(now) && waiting.peekFirst().amount() <= room()) {
      Waiting first = waiting.removeFirst();
      spend(first.amount(), now);
      first.go().run();
    }
  }

  private void spend(long amount, long now) {
    spent.addLast(new Spent(now, amount));
    inWindow += amount;
    inCell += amount;
    level -= amount;
    permits += amount;
    if (isFirstUse() && begin == 0) {
      begin = unixMillis(now);
      hurry.run();
    }
  }

  @Override
  public void end(long amount, long now) {
    permits -= amount;
    look(now);
  }

  @Override
  public long share(long now) {
    pass(now);
    return right();
  }

  @Override
  public ShareUse use(long now) {
    pass(now);
    long used = used();
    long least = least();
    Waiting first = waiting.peekFirst();
    long head = 0;
    if (first != null) {
      head = Math.min(capacity(), first.amount() + (terms.kind() == Kind.BUCKET ? 0 : least));
    }
    long sum = 0;
    for (Waiting each : waiting) {
      sum += each.amount();
    }
    long recent = 0;
    Iterator<Spent> newest = spent.descendingIterator();
    while (newest.hasNext()) {
      Spent each = newest.next();
      if (each.nanos() < now - 2 * SECOND) {
        break;
      }
      recent += each.amount();
    }
    return new ShareUse(
        capacity(),
        least,
        used,
        head,
        sum,
        recent,
        cell(now),
        isDay() || isFirstUse(),
        decayMillis(now));
  }

  private ShareUse.Cell cell(long now) {
    if (isFirstUse()) {
      long unix = unixMillis(now);
      return begin == 0
          ? new ShareUse.Cell(unix, 0, inEarlierCell, 0)
          : new ShareUse.Cell(
              begin, terms.windowNanos() / MILLI, inEarlierCell, Math.max(0, unix - begin));
    }
    return cell == 0
        ? ShareUse.Cell.NONE
        : new ShareUse.Cell(cell, 1, inEarlierCell, intoCell(now) / MILLI);
  }

  @Override
  public ShareUse shrink(long most, long now) {
    pass(now);
    share = Math.min(right(), most);
    shareCell = cell;
    later = Math.min(later, share);
    level = Math.min(level, (double) share);
    return use(now);
  }

  @Override
  public void hold(long next, long nextLater, ShareUse.Cell ofCell, long now) {
    pass(now);
    share = next;
    later = nextLater;
    shareCell = ofCell.number();
    if (isFirstUse() && ofCell.length() > 0) {
      boolean over = ofCell.number() + ofCell.length() <= unixMillis(now);
      share = over ? Math.min(next, nextLater) : next;
      boolean earlier = begin == 0 || ofCell.number() < begin;
      begin = !over && earlier ? ofCell.number() : begin;
    }
    level = Math.min(level, (double) share);
  }

  @Override
  public void wake() {
    hurry.run();
  }
}
