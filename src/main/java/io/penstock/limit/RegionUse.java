package io.penstock.limit;

import java.math.BigInteger;

/**
 * Part of a {@link LimitState} that counts what a limit used, by cell, together with what other
 * regions counted. The limit admits what it would without them, but no more than the cells have
 * left. The used amount is cur + floor(prev × (1 − elapsed share of the cell)), where cur and prev
 * are what all regions counted in a cell, or more if one of them reported so.
 *
 * <p>When other regions reported nothing, the cells contain nothing that the limit does not count
 * itself, and do not restrict it.
 *
 * @param regionCounts the counts that other regions reported
 * @param newest the last cell in which anything was counted here
 * @param cur the amount counted here in that cell
 * @param prev the amount counted here in the cell before
 * @param reserved reserved output, kept free in whichever cell runs
 * @param deniedCell the last cell in which this limit was the first to deny; {@link Long#MIN_VALUE}
 *     for none
 */
record RegionUse(
    RegionCounts regionCounts, long newest, long cur, long prev, long reserved, long deniedCell) {
  /** Bound of a search over cells; the caller searches on at the instant reached. */
  static final int MOST_STEPS = 16;

  /** Returns the use of a limit that regions begin to share. */
  static RegionUse none(RegionCounts regionCounts, long reserved, long now) {
    return new RegionUse(regionCounts, regionCounts.cell(now), 0, 0, reserved, Long.MIN_VALUE);
  }

  /** Returns this use with other counts of the regions. */
  RegionUse with(RegionCounts next, long now) {
    long cell = next.cell(now);
    // After a clock was set back, earlier counts move to the cell that runs, so that they are not
    // lost.
    return new RegionUse(next, newest > cell + 1 ? cell : newest, cur, prev, reserved, deniedCell);
  }

  /** Returns this use in the cell that runs. */
  private RegionUse at(long now) {
    long cell = regionCounts.cell(now);
    return cell <= newest
        ? this
        : new RegionUse(regionCounts, cell, 0, cell == newest + 1 ? cur : 0, reserved, deniedCell);
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

  /** Returns whether other regions reported anything that counts now. */
  boolean hasReports(long now) {
    long cell = cell(now);
    return regionCounts.cellCounts(cell).ofOthers()
        || (regionCounts.fades() && regionCounts.cellCounts(cell - 1).ofOthers());
  }

  /** Returns what the cells have left of {@code capacity}. */
  long free(long capacity, long now) {
    return Math.max(0, capacity - reserved - used(now));
  }

  /**
   * Returns the first instant after {@code now} at which the cells may have room for {@code amount}
   * if nothing else happens.
   */
  long mayFreeAt(long amount, long capacity, long now) {
    long cell = cell(now);
    long spare = capacity - reserved - amount - total(cell);
    long before = regionCounts.fades() ? total(cell - 1) : 0;
    boolean fits = spare >= 0 && before > 0;
    // floor(before × left ÷ window) ≤ spare
    long left = fits ? scaled(spare + 1, regionCounts.windowNanos(), 1, before) : 0;
    return Math.max(
        now + 1, regionCounts.start(cell + 1) - Math.min(left, regionCounts.windowNanos()));
  }

  /** Returns this use after an amount was counted, and reserved output became more or less. */
  RegionUse plus(long amount, long held, long now) {
    RegionUse use = at(now);
    return use.with(AmountBound.sum(use.cur, amount), use.prev, reserved + held);
  }

  /** Returns this use after part or all of a receipt was given back. */
  RegionUse minus(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    RegionUse use = at(now);
    long cell = receipt.sequence();
    long inCur = cell == use.newest ? taken : 0;
    long inPrev = cell == use.newest - 1 ? taken : 0;
    return use.with(use.cur - inCur, use.prev - inPrev, reserved - held);
  }

  private RegionUse with(long nextCur, long nextPrev, long held) {
    return new RegionUse(
        regionCounts,
        newest,
        Math.max(0, nextCur),
        Math.max(0, nextPrev),
        Math.max(0, held),
        deniedCell);
  }

  /**
   * Returns this use once other regions are to be notified that the limit denied at {@code now};
   * itself when they are not: they know already, or little was used of the running cell. In that
   * case the request was large, or it is the cell before that denies, of which the others know.
   * Notified of the running cell, they would leave all of it unused, and would deny themselves at
   * the beginning of the next.
   */
  RegionUse withDenial(long capacity, long now) {
    RegionUse use = at(now);
    long cell = use.newest;
    long used = regionCounts.cellCounts(cell).counted(use.here(cell));
    boolean known = deniedCell == cell || regionCounts.cellCounts(cell).deniedAmount() > 0;
    return known || used < capacity - used
        ? this
        : new RegionUse(regionCounts, cell, use.cur, use.prev, reserved, cell);
  }
}
