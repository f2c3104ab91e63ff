package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * State of a limit that is shared in slices: it admits what this instance alone would, but no more
 * than was granted in the running cell. The local state knows what is owed, paced, lowered and
 * reserved; this one knows what was granted and used of each cell of the shared clock.
 *
 * <p>Reserved output is subtracted from the current cell. A concurrency limit has a single cell,
 * and the permits in use are used of it.
 */
final class SharedState implements Around {
  /** Slices that begin within this time are as near as those of another round. */
  private static final long SOON_NANOS = 20_000_000;

  private final LimitState local;
  private final SliceDemand sliceDemand;
  private final @Nullable CellGrid grid;

  /** All that count. {@link CellGrid#NONE} is that of charges before the running cell was known. */
  private final GrantedCells grantedCells;

  private final long reserved;
  private final long spent;

  /** The last report about what others have. */
  private final StoreReport storeReport;

  private SharedState(
      LimitState local,
      SliceDemand sliceDemand,
      @Nullable CellGrid grid,
      GrantedCells grantedCells,
      long held,
      long spent,
      StoreReport storeReport) {
    this.local = local;
    this.sliceDemand = sliceDemand;
    this.grid = grid;
    this.grantedCells = grantedCells;
    this.reserved = held;
    this.spent = spent;
    this.storeReport = storeReport;
  }

  /** Returns the state of a limit without any grants yet. */
  static SharedState sharing(LimitState local, SliceDemand sliceDemand, long now) {
    LimitState alone =
        local instanceof SharedState shared ? shared.local : local.uncounted().frozen();
    LimitBalance owed = alone.balance(now);
    if (alone instanceof StrictState strict) {
      alone = StrictState.fresh(strict.spec(), now); // others may have used slots as well
    }
    boolean permits = alone instanceof ConcurrencyState;
    GrantedCell out =
        permits ? GrantedCell.of(0).using(owed.reserved()) : GrantedCell.of(CellGrid.NONE);
    long held = permits ? 0 : owed.reserved();
    return new SharedState(
        alone, sliceDemand, null, GrantedCells.of(out), held, 0, StoreReport.NOTHING);
  }

  private SharedState with(LimitState local, GrantedCells grantedCells, long held, long spent) {
    return new SharedState(local, sliceDemand, grid, grantedCells, held, spent, storeReport);
  }

  private SharedState with(GrantedCells grantedCells) {
    return with(local, grantedCells, reserved, spent);
  }

  private SharedState with(LimitState next) {
    return with(next, grantedCells, reserved, spent);
  }

  @Override
  public LimitState wrap(LimitState next) {
    return next.equals(local) ? this : with(next);
  }

  @Override
  public long fullyFreeAt(long now) {
    return wrapped(now).fullyFreeAt(now);
  }

  @Override
  public SliceDemand demand() {
    return sliceDemand;
  }

  @Override
  public boolean isAwaitingSlices(long amount, long now) {
    long cut = Math.min(amount, capacity(now));
    if (cut > localRoom(now) || storeReport.denies(cut, now)) {
      return false;
    }
    long opens = roomFreeAt(cut, now);
    // slices may have come after the clock was read
    return opens == Ticker.NEVER || opens <= Math.max(now, storeReport.heardNanos()) + SOON_NANOS;
  }

  /** Returns whether nothing is granted now because what was spent may have been lost. */
  boolean isBarred(long now) {
    return storeReport.bars(now);
  }

  private boolean permits() {
    return local instanceof ConcurrencyState;
  }

  @Override
  public LimitState wrapped() {
    return local;
  }

  /** Returns the local state, with a window or day that begins and ends with its shared cell. */
  @Override
  public LimitState wrapped(long now) {
    return grid == null ? local : grid.aligned(local, now);
  }

  private long cellAt(long now) {
    if (permits()) {
      return 0;
    }
    return grid == null ? CellGrid.NONE : grid.cellAt(now);
  }

  /** Returns the cells after {@code amount} was spent in one; in a bucket, it was out before. */
  private GrantedCells using(long cell, long amount) {
    return local instanceof TokenBucketState
        ? grantedCells.using(cell, amount).with(CellPartition.OUT, out -> out.paying(amount))
        : grantedCells.using(cell, amount);
  }

  /** Returns the number of the cell in which spending from {@code running} counts. */
  private long cellOf(@Nullable GrantedCell running, long now) {
    return running == null || running.cell() == CellPartition.OUT ? cellAt(now) : running.cell();
  }

  /** Returns whether all that was spent in a window or day stops counting at its end. */
  private boolean endsAtOnce() {
    return local instanceof FixedWindowState || local instanceof DayState;
  }

  @Override
  public long capacity() {
    return Math.min(storeReport.capacity(), local.capacity());
  }

  @Override
  public long capacity(long now) {
    return Math.min(storeReport.capacity(), local.capacity(now));
  }

  @Override
  public long localRoom(long now) {
    return Math.min(storeReport.capacity(), wrapped(now).room(now));
  }

  @Override
  public long room(long now) {
    GrantedCell running = grantedCells.running(now);
    return running == null ? 0 : Math.min(localRoom(now), running.free(reserved));
  }

  @Override
  public LimitRemainder remainder(long now) {
    long alone = localRoom(now);
    long full = wrapped(now).fullyFreeAt(now);
    if (!storeReport.knowsRemaining(now)) {
      return new LimitRemainder(alone, full);
    }
    long others =
        local instanceof TokenBucketState
            ? storeReport.remainingInBucket(capacity(now), now)
            : storeReport.remaining();
    boolean later = !endsAtOnce() && !(local instanceof StrictState);
    long left =
        Math.clamp(AmountBound.sum(others, grantedCells.unspent(later, reserved, now)), 0, alone);
    return new LimitRemainder(
        left, permits() ? full : Math.max(full, storeReport.leftUntilNanos()));
  }

  @Override
  public LimitState unshared(long now) {
    return wrapped(now);
  }

  @Override
  public LimitState withoutDebt() {
    return with(local.withoutDebt());
  }

  @Override
  public void recordLack(long amount, long now) {
    if (amount <= localRoom(now) && amount > room(now)) {
      boolean later = roomFreeAt(amount, now) != Ticker.NEVER;
      sliceDemand.recordLack(amount, later, storeReport.denies(amount, now));
    }
  }

  /** Returns never when only another grant could help. An amount of 0 needs no grant. */
  @Override
  public long roomFreeAt(long amount, long now) {
    long alone = wrapped(now).roomFreeAt(amount, now);
    long opens = grantedCells.opens(amount, reserved, Math.max(alone, now), now);
    return opens == Ticker.NEVER && (alone > now || amount <= room(now)) ? alone : opens;
  }

  @Override
  public long windowEndsAt(long amount, long now) {
    boolean known = endsAtOnce() && storeReport.denies(amount, now);
    long cell = known && roomFreeAt(amount, now) == Ticker.NEVER ? cellAt(now) : CellGrid.NONE;
    return grid != null && cell != CellGrid.NONE ? grid.endOf(cell) : Ticker.NEVER;
  }

  @Override
  public long forecastNanos(long ahead, long own, long now) {
    return wrapped(now).forecastNanos(ahead, own, now);
  }

  @Override
  public Taken take(long taken, long held, long now) {
    GrantedCell running = grantedCells.running(now);
    long cell = cellOf(running, now);
    Taken alone = wrapped(now).take(taken, held, now);
    long used = permits() ? taken + held : taken;
    SharedState next =
        with(
            beginning(alone.next(), now),
            using(cell, used),
            this.reserved + (permits() ? 0 : held),
            AmountBound.sum(spent, taken + held));
    return new Taken(next, alone.receipt().in(cell));
  }

  /** Corrects a local state: an idle window begins with its cell, and the slots are not local. */
  private LimitState beginning(LimitState next, long now) {
    if (next instanceof StrictState) {
      return local;
    }
    return grid == null ? next : grid.begun(next, now);
  }

  @Override
  public LimitState giveBack(long cell, long taken, long held, long now) {
    return giveBack(new LimitAnswer.Receipt(cell, taken, held), taken, held, now);
  }

  @Override
  public LimitState giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    LimitState alone = wrapped(now);
    long own = own(receipt, alone, now);
    long back = back(receipt, alone, permits() ? taken + held : taken, now);
    return with(
        alone.giveBack(own, taken, held, now),
        grantedCells.has(receipt.shared()) ? using(receipt.shared(), -back) : grantedCells,
        permits() ? 0 : Math.max(0, this.reserved - held),
        spent);
  }

  /**
   * Returns the refund: the shared bucket lacks at least as much as if only this instance spent it.
   */
  private static long back(LimitAnswer.Receipt receipt, LimitState alone, long amount, long now) {
    return alone instanceof TokenBucketState bucket
        ? bucket.back(receipt.cell(), amount, now)
        : amount;
  }

  /** Returns the running window or day as the local state has it, if the receipt is of it. */
  private long own(LimitAnswer.Receipt receipt, LimitState alone, long now) {
    boolean runs = receipt.shared() == cellAt(now);
    return switch (alone) {
      case FixedWindowState fixed -> runs ? fixed.start() : Long.MIN_VALUE;
      case DayState day -> runs ? day.endsAt() : Long.MIN_VALUE;
      default -> receipt.cell();
    };
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    GrantedCell running = grantedCells.running(now);
    long cell = cellOf(running, now);
    Taken alone = wrapped(now).charge(amount, unheld, now);
    SharedState next =
        with(
            beginning(alone.next(), now),
            using(cell, permits() ? -unheld : amount),
            permits() ? 0 : Math.max(0, reserved - unheld),
            AmountBound.sum(spent, Math.max(0, amount - unheld)));
    return new Taken(next, alone.receipt().in(cell));
  }

  @Override
  public LimitState withSpec(LimitSpec next, long now) {
    LimitState changed = CellGrid.become(wrapped(now), next, now);
    return CellPartition.sameCells(local.spec(), next)
        ? with(changed)
        : sharing(changed, sliceDemand, now);
  }

  /** Returns this state with slices that may no longer be spent. */
  SharedState dropped() {
    return with(grantedCells.each(each -> each.granted(each.used()).during(CellGrid.Span.NEVER)));
  }

  /** Returns this state with more slices. All its slices may be spent in the given spans. */
  SharedState withSlices(
      List<SpendingReport.Counted> more,
      StoreReport storeReport,
      LongFunction<CellGrid.Span> spans) {
    GrantedCells next =
        more.isEmpty() ? grantedCells : grantedCells.moved(CellGrid.NONE, more.getFirst().cell());
    next = permits() ? next.each(each -> each.leased(spans.apply(each.cell()))) : next;
    for (SpendingReport.Counted slice : more) {
      // A later grant does not cover usage that ran over before.
      next =
          next.with(
              slice.cell(), each -> each.granted(AmountBound.sum(each.granted(), slice.amount())));
    }
    next =
        next.each(
            each -> each.granted() > each.used() ? each.during(spans.apply(each.cell())) : each);
    return new SharedState(local, sliceDemand, grid, next, reserved, spent, storeReport);
  }

  /**
   * Returns this state for a report: its cells then contain all that it may still spend.
   *
   * @param at the position of the cells
   * @param oldest the first cell that counts
   * @param ahead the last one that anything is granted in
   * @param keep how much may stay free in a cell
   */
  SharedState tallied(CellGrid at, long oldest, long ahead, long keep, long now) {
    SharedState known =
        new SharedState(local, sliceDemand, at, grantedCells, reserved, spent, storeReport)
            .settled(now);
    long running = local instanceof TokenBucketState ? CellPartition.OUT : known.cellAt(now);
    long last = endsAtOnce() && at.step() > 0 ? Math.max(ahead, running) : running;
    GrantedCells next = known.grantedCells.from(oldest);
    if (reserved > 0 && running != CellGrid.NONE) {
      for (long cell = running; cell <= last; cell += Math.max(1, at.step())) {
        next = next.using(cell, 0);
      }
    }
    return known.with(
        next.each(each -> cut(each, each.cell() >= running && each.cell() <= last, keep, now)));
  }

  /** Gives up what is free above {@code keep}, or all when it may no longer be spent. */
  private GrantedCell cut(GrantedCell grantedCell, boolean holds, long keep, long now) {
    long kept = holds ? reserved : 0;
    long covered = AmountBound.sum(spentIn(grantedCell), kept);
    long free = Math.max(0, grantedCell.granted() - covered);
    long stays = grantedCell.span().untilNanos() <= now ? 0 : Math.min(free, keep);
    return grantedCell.granted(AmountBound.sum(covered, stays));
  }

  /** Returns this state once the running cell is known: debt that it pays is spent in it. */
  private SharedState settled(long now) {
    if (permits()) {
      return this;
    }
    LimitState alone = wrapped(now);
    long cell = cellAt(now);
    boolean early = grantedCells.has(CellGrid.NONE);
    GrantedCells next =
        grid != null && early ? grantedCells.before(alone, grid, now) : grantedCells;
    if (alone instanceof FixedWindowState fixed && fixed.charged() > 0) {
      next = next.with(cell, each -> each.using(Math.max(0, fixed.charged() - each.used())));
    }
    return with(alone, next, reserved, spent);
  }

  SpendingReport spendingReport(long now) {
    List<SpendingReport.Counted> counted = new ArrayList<>();
    long most = 0;
    long freeLater = 0;
    GrantedCell running = grantedCells.running(now);
    for (GrantedCell each : grantedCells) {
      if (each.cell() != CellGrid.NONE) {
        counted.add(new SpendingReport.Counted(each.cell(), counts(each)));
      }
      if (each.span().untilNanos() > now) {
        most = Math.max(most, each.free(reserved));
        freeLater += each.span().fromNanos() > now ? each.free(reserved) : 0;
      }
    }
    return new SpendingReport(
        counted, running == null ? 0 : running.free(reserved), freeLater, most, spent);
  }

  private long counts(GrantedCell grantedCell) {
    return Math.min(AmountBound.MOST, Math.max(spentIn(grantedCell), grantedCell.granted()));
  }

  /** Returns what was spent in a cell. Debt of a fixed window is spent in the cells that pay it. */
  private long spentIn(GrantedCell grantedCell) {
    return local instanceof FixedWindowState fixed
        ? Math.min(grantedCell.used(), fixed.capacity())
        : grantedCell.used();
  }
}
