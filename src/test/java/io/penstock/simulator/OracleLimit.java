package io.penstock.simulator;

import io.penstock.limit.LimitSpec;

/**
 * A limit's model, derived from the contract alone: it uses none of the arithmetic of the
 * production limits.
 */
abstract class OracleLimit {
  /**
   * The demand of one ticket: at its release, while its answer runs, at the very least, and the
   * part that a provider counts at once.
   */
  record Ask(long taken, long held, long least, long whole) {
    Ask(long taken, long held, long least) {
      this(taken, held, least, least);
    }

    Ask within(long capacity) {
      long over = taken + held - capacity;
      if (over <= 0 || least > capacity) {
        return this;
      }
      // Input cannot be cut, expected output can: first what is taken, then the rest.
      long keep = taken > capacity ? Math.max(least, capacity) : taken;
      return new Ask(keep, Math.min(held, capacity - keep), least, whole);
    }

    /** Returns the whole demand, cut to a capacity that can admit the least of it. */
    long allWithin(long capacity) {
      return Math.min(capacity, taken + held);
    }

    long all() {
      return taken + held;
    }
  }

  private static final int PERCENT = 100;

  /** The sum of all open discounts. */
  private long discounts;

  /** Returns the sum of all open discounts. */
  final long discounts() {
    return discounts;
  }

  /** Returns the largest sum of discounts with which another one is opened. */
  final long bound(int trust) {
    return capacity() * trust / PERCENT;
  }

  /** Whether the last answer read much less than was expected of it, or a provider refused one. */
  private boolean doubted;

  private int doubts;

  /** Returns what is kept free because the provider may have counted it already. */
  final long inDoubt() {
    return doubted ? discounts : 0;
  }

  /** Returns how often there was doubt so far. */
  final int doubts() {
    return doubts;
  }

  /** Notes that so much of an expected read was missing, after so many doubts at the release. */
  final void readMissing(long missing, long expected, int doubtsBefore) {
    if (missing > expected / 4) {
      doubt();
    } else if (doubtsBefore == doubts) {
      doubted = false;
    }
  }

  /** Notes that a provider refused a request that had a discount. */
  final void doubt() {
    doubted = true;
    doubts++;
  }

  /** Returns the largest discount that may be opened now for an expected read. */
  final long discount(long read, int trust) {
    if (doubted) {
      return 0;
    }
    return discounts == 0 ? read : Math.min(read, Math.max(0, bound(trust) - discounts));
  }

  /** Opens a discount; closes one if it is negative. */
  final void discounted(long amount) {
    discounts += amount;
  }

  abstract LimitSpec spec();

  abstract long capacity();

  /** Returns the free amount at an instant if nothing happens until then, pacing left out. */
  abstract long free(long now);

  /** Returns the instant from which the pace lets an amount pass. */
  long paced(long amount) {
    return Long.MIN_VALUE;
  }

  /**
   * Returns the instant at which a request passes behind {@code ahead} others if no more arrive and
   * all go as soon as they can, as with a single server; {@link Long#MIN_VALUE} if it cannot be
   * computed.
   */
  long foretold(long ahead, long now) {
    return Long.MIN_VALUE;
  }

  /** Returns the window or cell it was taken from. */
  abstract long take(long taken, long held, long now);

  /** Moves an amount from one cell to that of now, and returns the cell where it is then. */
  long move(long cell, long taken, long now) {
    return cell;
  }

  abstract void give(long cell, long taken, long held, long now);

  /** Returns the window or cell it was charged to. */
  abstract long charge(long amount, long released, long now);

  /** Charges output that a take had reserved; returns the window or cell it was charged to. */
  long charge(long take, long amount, long released, long now) {
    return charge(amount, released, now);
  }

  abstract void resize(LimitSpec next, long now);

  /** Returns the debt that a limit of another kind in its place starts with: 0 for most. */
  long owed(long now) {
    return 0;
  }

  abstract long held();

  /** Returns the time within which charges of one answer need not be told apart. */
  abstract long subCell();

  final boolean possible(Ask ask) {
    return ask.whole() <= capacity();
  }

  final boolean admits(Ask ask, long now) {
    long capacity = capacity();
    long free = free(now);
    long room = free < capacity ? Math.max(0, free - inDoubt()) : free;
    return ask.whole() <= capacity && ask.allWithin(capacity) <= room;
  }

  /**
   * Returns the instant from which the pace lets pass the part of a demand that is possible at all.
   */
  final long paced(Ask ask) {
    return paced(ask.allWithin(capacity()));
  }
}
