package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Part of a {@link LimitState} that knows the slices of a limit: what this instance was granted and
 * what it used of each cell of the shared clock. The limit admits what this instance alone would,
 * but no more than was granted in the running cell; the {@link LocalState} of the limit knows what
 * is owed, paced and lowered.
 *
 * <p>Reserved output is subtracted from the current cell. A concurrency limit has a single cell,
 * and the permits in use are used of it.
 *
 * @param grid the position of the cells; null until it is known
 * @param grantedCells all that count. {@link CellGrid#NONE} is that of charges before the running
 *     cell was known
 * @param reserved reserved output; 0 in a concurrency limit
 * @param spent all that was ever spent
 * @param storeReport the last report about what others have
 */
record SharedSlices(
    @Nullable CellGrid grid,
    GrantedCells grantedCells,
    long reserved,
    long spent,
    StoreReport storeReport) {
  /** Slices that begin within this time are as near as those of another round. */
  private static final long SOON_NANOS = 20_000_000;

  /** Returns the slices of a limit without any grants yet. */
  static SharedSlices none(LocalState local, long now) {
    long reserved = local.balance(now).reserved();
    boolean permits = local instanceof ConcurrencyState;
    GrantedCell out = permits ? GrantedCell.of(0).using(reserved) : GrantedCell.of(CellGrid.NONE);
    return new SharedSlices(
        null, new GrantedCells(List.of(out)), permits ? 0 : reserved, 0, StoreReport.NOTHING);
  }

  /** Returns the local state of a limit that begins to be shared. */
  static LocalState sharing(LocalState local, long now) {
    // others may have used slots as well
    return local instanceof StrictState strict ? StrictState.fresh(strict.spec(), now) : local;
  }

  private SharedSlices with(GrantedCells next) {
    return new SharedSlices(grid, next, reserved, spent, storeReport);
  }

  private SharedSlices with(GrantedCells next, long held, long total) {
    return new SharedSlices(grid, next, held, total, storeReport);
  }

  /** Returns the local state with a window or day that begins and ends with its shared cell. */
  LocalState aligned(LocalState local, long now) {
    return grid == null ? local : grid.aligned(local, now);
  }

  private static boolean permits(LocalState local) {
    return local instanceof ConcurrencyState;
  }

  private long cellAt(LocalState local, long now) {
    if (permits(local)) {
      return 0;
    }
    return grid == null ? CellGrid.NONE : grid.cellAt(now);
  }

  /** Returns the cells after {@code amount} was spent in one; in a bucket, it was out before. */
  private GrantedCells using(LocalState local, long cell, long amount) {
    return local instanceof TokenBucketState
        ? grantedCells.using(cell, amount).with(CellPartition.OUT, out -> out.paying(amount))
        : grantedCells.using(cell, amount);
  }

  /** Returns the number of the cell in which spending counts now. */
  long spendingCell(LocalState local, long now) {
    GrantedCell running = grantedCells.running(now);
    return running == null || running.cell() == CellPartition.OUT
        ? cellAt(local, now)
        : running.cell();
  }

  /** Returns whether all that was spent in a window or day stops counting at its end. */
  private static boolean endsAtOnce(LocalState local) {
    return local instanceof FixedWindowState || local instanceof DayState;
  }

  /** Returns what would be admitted now if only this instance took from the limit. */
  long localRoom(LocalState local, long now) {
    return Math.min(storeReport.capacity(), aligned(local, now).room(now));
  }

  /** Returns what is admitted now, ignoring the pace. */
  long room(LocalState local, long now) {
    GrantedCell running = grantedCells.running(now);
    return running == null ? 0 : Math.min(localRoom(local, now), running.free(reserved));
  }

  /**
   * Returns what is left of a limit of {@code capacity} for all instances.
   *
   * @param full when it is whole as far as this instance is concerned
   */
  LimitRemainder remainder(LocalState local, long capacity, long full, long now) {
    long alone = localRoom(local, now);
    if (!storeReport.knowsRemaining(now)) {
      return new LimitRemainder(alone, full);
    }
    long others =
        local instanceof TokenBucketState
            ? storeReport.remainingInBucket(capacity, now)
            : storeReport.remaining();
    boolean later = !endsAtOnce(local) && !(local instanceof StrictState);
    long left =
        Math.clamp(AmountBound.sum(others, grantedCells.unspent(later, reserved, now)), 0, alone);
    return new LimitRemainder(
        left, permits(local) ? full : Math.max(full, storeReport.leftUntilNanos()));
  }

  /**
   * Returns the instant at which {@code amount} has room; never when only another grant could help.
   * An amount of 0 needs no grant.
   */
  long roomFreeAt(LocalState local, long amount, long now) {
    long alone = aligned(local, now).roomFreeAt(amount, now);
    long opens = grantedCells.opens(amount, reserved, Math.max(alone, now), now);
    return opens == Ticker.NEVER && (alone > now || amount <= room(local, now)) ? alone : opens;
  }

  /**
   * Returns whether only slices are lacking for {@code amount} ≤ capacity, and it is not known yet
   * whether any can be had.
   */
  boolean isAwaitingSlices(LocalState local, long amount, long now) {
    if (amount > localRoom(local, now) || storeReport.denies(amount, now)) {
      return false;
    }
    long opens = roomFreeAt(local, amount, now);
    // slices may have come after the clock was read
    return opens == Ticker.NEVER || opens <= Math.max(now, storeReport.heardNanos()) + SOON_NANOS;
  }

  /**
   * Returns the end of the running window when no instance is known to have {@code amount} left in
   * it; otherwise {@link Ticker#NEVER}.
   */
  long windowEndsAt(LocalState local, long amount, long now) {
    boolean known = endsAtOnce(local) && storeReport.denies(amount, now);
    long cell =
        known && roomFreeAt(local, amount, now) == Ticker.NEVER
            ? cellAt(local, now)
            : CellGrid.NONE;
    return grid != null && cell != CellGrid.NONE ? grid.endOf(cell) : Ticker.NEVER;
  }

  /** Records the demand for an amount that is admitted here, but not granted. */
  void recordDemand(LocalState local, SliceDemand demand, long amount, long now) {
    if (amount <= localRoom(local, now) && amount > room(local, now)) {
      boolean later = roomFreeAt(local, amount, now) != Ticker.NEVER;
      demand.recordLack(amount, later, storeReport.denies(amount, now));
    }
  }

  /**
   * Returns a local state after something was taken from it. A window or day that was idle begins
   * with its cell instead of its first use.
   *
   * @param before the aligned state before that
   */
  LocalState begun(LocalState before, LocalState next, long now) {
    return grid == null ? next : grid.begun(before, next, now);
  }

  /** Returns these slices after an amount was taken in a cell. */
  SharedSlices taken(LocalState local, long cell, long taken, long held) {
    boolean permits = permits(local);
    return with(
        using(local, cell, permits ? taken + held : taken),
        reserved + (permits ? 0 : held),
        AmountBound.sum(spent, taken + held));
  }

  /** Returns these slices after an amount was charged in a cell, and reserved output released. */
  SharedSlices charged(LocalState local, long cell, long amount, long released) {
    boolean permits = permits(local);
    return with(
        using(local, cell, permits ? -released : amount),
        permits ? 0 : Math.max(0, reserved - released),
        AmountBound.sum(spent, Math.max(0, amount - released)));
  }

  /**
   * Returns these slices after part or all of a receipt was given back.
   *
   * @param alone the aligned local state before that
   */
  SharedSlices givenBack(
      LocalState alone, LimitAnswer.Receipt receipt, long taken, long held, long now) {
    boolean permits = permits(alone);
    long amount = permits ? taken + held : taken;
    // the shared bucket lacks at least as much as if only this instance spent it
    long back =
        alone instanceof TokenBucketState bucket
            ? bucket.back(receipt.cell(), amount, now)
            : amount;
    return with(
        grantedCells.has(receipt.shared()) ? using(alone, receipt.shared(), -back) : grantedCells,
        permits ? 0 : Math.max(0, reserved - held),
        spent);
  }

  /**
   * Returns an aligned local state after part or all of a receipt was given back. The receipt has
   * the number of the cell of this instance, or of the shared clock.
   *
   * @param mark the running total of that state after the take; 0 when it is not known
   */
  LocalState givenBackHere(
      LocalState alone, LimitAnswer.Receipt receipt, long mark, long taken, long held, long now) {
    boolean runs = receipt.shared() == cellAt(alone, now);
    long cell =
        switch (alone) {
          case FixedWindowState fixed -> runs ? fixed.start() : Long.MIN_VALUE;
          case DayState day -> runs ? day.endsAt() : Long.MIN_VALUE;
          default -> receipt.cell();
        };
    return alone instanceof TrailingWindowState window
        ? window.giveBack(cell, mark, taken, held, now)
        : alone.giveBack(cell, taken, held, now);
  }

  /** Returns these slices when they may no longer be spent. */
  SharedSlices dropped() {
    return with(grantedCells.each(each -> each.granted(each.used()).during(CellGrid.Span.NEVER)));
  }

  /** Returns these slices with more. All may be spent in the given spans. */
  SharedSlices plus(
      LocalState local,
      List<CellAmount> more,
      StoreReport report,
      LongFunction<CellGrid.Span> spans) {
    GrantedCells next =
        more.isEmpty() ? grantedCells : grantedCells.moved(CellGrid.NONE, more.getFirst().cell());
    next = permits(local) ? next.each(each -> each.leased(spans.apply(each.cell()))) : next;
    for (CellAmount slice : more) {
      // A later grant does not cover usage that ran over before.
      next =
          next.with(
              slice.cell(), each -> each.granted(AmountBound.sum(each.granted(), slice.amount())));
    }
    next =
        next.each(
            each -> each.granted() > each.used() ? each.during(spans.apply(each.cell())) : each);
    return new SharedSlices(grid, next, reserved, spent, report);
  }

  /** Returns these slices in cells at another position. */
  SharedSlices at(CellGrid next) {
    return new SharedSlices(next, grantedCells, reserved, spent, storeReport);
  }

  /**
   * Returns these slices for a report: their cells then contain all that may still be spent.
   *
   * @param alone the aligned local state
   * @param oldest the first cell that counts
   * @param ahead the last one that anything is granted in
   * @param keep how much may stay free in a cell
   */
  SharedSlices tallied(LocalState alone, long oldest, long ahead, long keep, long now) {
    GrantedCells next = settled(alone, now).from(oldest);
    long step = grid == null ? 0 : grid.step();
    long running = alone instanceof TokenBucketState ? CellPartition.OUT : cellAt(alone, now);
    long last = endsAtOnce(alone) && step > 0 ? Math.max(ahead, running) : running;
    if (reserved > 0 && running != CellGrid.NONE) {
      for (long cell = running; cell <= last; cell += Math.max(1, step)) {
        next = next.using(cell, 0);
      }
    }
    return with(
        next.each(
            each -> cut(alone, each, each.cell() >= running && each.cell() <= last, keep, now)));
  }

  /** Gives up what is free above {@code keep}, or all when it may no longer be spent. */
  private GrantedCell cut(
      LocalState alone, GrantedCell grantedCell, boolean holds, long keep, long now) {
    long kept = holds ? reserved : 0;
    long covered = AmountBound.sum(spentIn(alone, grantedCell), kept);
    long free = Math.max(0, grantedCell.granted() - covered);
    long stays = grantedCell.span().untilNanos() <= now ? 0 : Math.min(free, keep);
    return grantedCell.granted(AmountBound.sum(covered, stays));
  }

  /** Returns the cells once the running one is known: debt that it pays is spent in it. */
  private GrantedCells settled(LocalState alone, long now) {
    if (permits(alone)) {
      return grantedCells;
    }
    boolean early = grantedCells.has(CellGrid.NONE);
    GrantedCells next =
        grid != null && early ? grantedCells.before(alone, grid, now) : grantedCells;
    return alone instanceof FixedWindowState fixed && fixed.charged() > 0
        ? next.with(
            cellAt(alone, now), each -> each.using(Math.max(0, fixed.charged() - each.used())))
        : next;
  }

  /** Returns what to report of these slices. */
  SpendingReport spendingReport(LocalState local, long now) {
    List<CellAmount> counted = new ArrayList<>();
    long most = 0;
    long freeLater = 0;
    GrantedCell running = grantedCells.running(now);
    for (GrantedCell each : grantedCells) {
      if (each.cell() != CellGrid.NONE) {
        counted.add(new CellAmount(each.cell(), counts(local, each)));
      }
      if (each.span().untilNanos() > now) {
        most = Math.max(most, each.free(reserved));
        freeLater += each.span().fromNanos() > now ? each.free(reserved) : 0;
      }
    }
    return new SpendingReport(
        counted, running == null ? 0 : running.free(reserved), freeLater, most, spent);
  }

  private static long counts(LocalState local, GrantedCell grantedCell) {
    return Math.min(AmountBound.MOST, Math.max(spentIn(local, grantedCell), grantedCell.granted()));
  }

  /** Returns what was spent in a cell. Debt of a fixed window is spent in the cells that pay it. */
  private static long spentIn(LocalState local, GrantedCell grantedCell) {
    return local instanceof FixedWindowState fixed
        ? Math.min(grantedCell.used(), fixed.capacity())
        : grantedCell.used();
  }
}
