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

  private final State local;
  private final Demand demand;
  private final @Nullable Grid grid;

  /** All that count. {@link Grid#NONE} is that of charges before the running cell was known. */
  private final Portions portions;

  private final long held;
  private final long spent;

  /** The last report about what others have. */
  private final Supplied supplied;

  private SharedState(
      State local,
      Demand demand,
      @Nullable Grid grid,
      Portions portions,
      long held,
      long spent,
      Supplied supplied) {
    this.local = local;
    this.demand = demand;
    this.grid = grid;
    this.portions = portions;
    this.held = held;
    this.spent = spent;
    this.supplied = supplied;
  }

  /** Returns the state of a limit without any grants yet. */
  static SharedState sharing(State local, Demand demand, long now) {
    State alone =
        switch (local) {
          case SharedState shared -> shared.local;
          case CountedState counted -> counted.own();
          case State unshared -> unshared.frozen();
        };
    Balance owed = alone.balance(now);
    if (alone instanceof StrictState strict) {
      alone = StrictState.fresh(strict.spec(), now); // others may have used slots as well
    }
    boolean permits = alone instanceof ConcurrencyState;
    Portion out = permits ? Portion.of(0).using(owed.held()) : Portion.of(Grid.NONE);
    long held = permits ? 0 : owed.held();
    return new SharedState(alone, demand, null, Portions.of(out), held, 0, Supplied.NOTHING);
  }

  private SharedState with(State local, Portions portions, long held, long spent) {
    return new SharedState(local, demand, grid, portions, held, spent, supplied);
  }

  private SharedState with(Portions portions) {
    return with(local, portions, held, spent);
  }

  private SharedState with(State next) {
    return with(next, portions, held, spent);
  }

  @Override
  public State around(State next) {
    return next.equals(local) ? this : with(next);
  }

  @Override
  public long full(long now) {
    return own(now).full(now);
  }

  @Override
  public Demand demand() {
    return demand;
  }

  @Override
  public boolean dry(long amount, long now) {
    long cut = Math.min(amount, capacity(now));
    if (cut > roomAlone(now) || supplied.denies(cut, now)) {
      return false;
    }
    long opens = opens(cut, now);
    // slices may have come after the clock was read
    return opens == Ticker.NEVER || opens <= Math.max(now, supplied.heardNanos()) + SOON_NANOS;
  }

  /** Returns whether nothing is granted now because what was spent may have been lost. */
  boolean isBarred(long now) {
    return supplied.bars(now);
  }

  private boolean permits() {
    return local instanceof ConcurrencyState;
  }

  @Override
  public State own() {
    return local;
  }

  /** Returns the local state, with a window or day that begins and ends with its shared cell. */
  @Override
  public State own(long now) {
    return grid == null ? local : grid.aligned(local, now);
  }

  private long cellAt(long now) {
    if (permits()) {
      return 0;
    }
    return grid == null ? Grid.NONE : grid.cellAt(now);
  }

  /** Returns the cells after {@code amount} was spent in one; in a bucket, it was out before. */
  private Portions using(long cell, long amount) {
    return local instanceof TokenBucketState
        ? portions.using(cell, amount).with(Partition.OUT, out -> out.paying(amount))
        : portions.using(cell, amount);
  }

  /** Returns the number of the cell in which spending from {@code running} counts. */
  private long cellOf(@Nullable Portion running, long now) {
    return running == null || running.cell() == Partition.OUT ? cellAt(now) : running.cell();
  }

  /** Returns whether all that was spent in a window or day stops counting at its end. */
  private boolean endsAtOnce() {
    return local instanceof FixedWindowState || local instanceof DayState;
  }

  @Override
  public long capacity() {
    return Math.min(supplied.capacity(), local.capacity());
  }

  @Override
  public long capacity(long now) {
    return Math.min(supplied.capacity(), local.capacity(now));
  }

  @Override
  public long roomAlone(long now) {
    return Math.min(supplied.capacity(), own(now).room(now));
  }

  @Override
  public long room(long now) {
    Portion running = portions.running(now);
    return running == null ? 0 : Math.min(roomAlone(now), running.free(held));
  }

  @Override
  public Left left(long now) {
    long alone = roomAlone(now);
    long full = own(now).full(now);
    if (!supplied.tells(now)) {
      return new Left(alone, full);
    }
    long others =
        local instanceof TokenBucketState ? supplied.filled(capacity(now), now) : supplied.left();
    boolean later = !endsAtOnce() && !(local instanceof StrictState);
    long left = Math.clamp(State.sum(others, portions.unspent(later, held, now)), 0, alone);
    return new Left(left, permits() ? full : Math.max(full, supplied.leftUntilNanos()));
  }

  @Override
  public State unshared(long now) {
    return own(now);
  }

  @Override
  public State forgiven() {
    return with(local.forgiven());
  }

  @Override
  public void lacks(long amount, long now) {
    if (amount <= roomAlone(now) && amount > room(now)) {
      boolean later = opens(amount, now) != Ticker.NEVER;
      demand.lacks(amount, later, supplied.denies(amount, now));
    }
  }

  /** Returns never when only another grant could help. An amount of 0 needs no grant. */
  @Override
  public long opens(long amount, long now) {
    long alone = own(now).opens(amount, now);
    long opens = portions.opens(amount, held, Math.max(alone, now), now);
    return opens == Ticker.NEVER && (alone > now || amount <= room(now)) ? alone : opens;
  }

  @Override
  public long ends(long amount, long now) {
    boolean known = endsAtOnce() && supplied.denies(amount, now);
    long cell = known && opens(amount, now) == Ticker.NEVER ? cellAt(now) : Grid.NONE;
    return grid != null && cell != Grid.NONE ? grid.endOf(cell) : Ticker.NEVER;
  }

  @Override
  public long forecast(long ahead, long own, long now) {
    return own(now).forecast(ahead, own, now);
  }

  @Override
  public Taken take(long taken, long held, long now) {
    Portion running = portions.running(now);
    long cell = cellOf(running, now);
    Taken alone = own(now).take(taken, held, now);
    long used = permits() ? taken + held : taken;
    SharedState next =
        with(
            beginning(alone.next(), now),
            using(cell, used),
            this.held + (permits() ? 0 : held),
            State.sum(spent, taken + held));
    return new Taken(next, alone.receipt().in(cell));
  }

  /** Corrects a local state: an idle window begins with its cell, and the slots are not local. */
  private State beginning(State next, long now) {
    if (next instanceof StrictState) {
      return local;
    }
    return grid == null ? next : grid.begun(next, now);
  }

  @Override
  public State give(long cell, long taken, long held, long now) {
    return give(new Answer.Receipt(cell, taken, held), taken, held, now);
  }

  @Override
  public State give(Answer.Receipt receipt, long taken, long held, long now) {
    State alone = own(now);
    long own = own(receipt, alone, now);
    long back = back(receipt, alone, permits() ? taken + held : taken, now);
    return with(
        alone.give(own, taken, held, now),
        portions.has(receipt.shared()) ? using(receipt.shared(), -back) : portions,
        permits() ? 0 : Math.max(0, this.held - held),
        spent);
  }

  /**
   * Returns the refund: the shared bucket lacks at least as much as if only this instance spent it.
   */
  private static long back(Answer.Receipt receipt, State alone, long amount, long now) {
    return alone instanceof TokenBucketState bucket
        ? bucket.back(receipt.cell(), amount, now)
        : amount;
  }

  /** Returns the running window or day as the local state has it, if the receipt is of it. */
  private long own(Answer.Receipt receipt, State alone, long now) {
    boolean runs = receipt.shared() == cellAt(now);
    return switch (alone) {
      case FixedWindowState fixed -> runs ? fixed.start() : Long.MIN_VALUE;
      case DayState day -> runs ? day.ends() : Long.MIN_VALUE;
      default -> receipt.cell();
    };
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    Portion running = portions.running(now);
    long cell = cellOf(running, now);
    Taken alone = own(now).charge(amount, unheld, now);
    SharedState next =
        with(
            beginning(alone.next(), now),
            using(cell, permits() ? -unheld : amount),
            permits() ? 0 : Math.max(0, held - unheld),
            State.sum(spent, Math.max(0, amount - unheld)));
    return new Taken(next, alone.receipt().in(cell));
  }

  @Override
  public State become(LimitSpec next, long now) {
    State changed = Grid.become(own(now), next, now);
    return Partition.sameCells(local.spec(), next) ? with(changed) : sharing(changed, demand, now);
  }

  /** Returns this state with slices that may no longer be spent. */
  SharedState dropped() {
    return with(portions.each(each -> each.granted(each.used()).during(Grid.Span.NEVER)));
  }

  /** Returns this state with more slices. All its slices may be spent in the given spans. */
  SharedState granted(List<Tally.Counted> more, Supplied supplied, LongFunction<Grid.Span> spans) {
    Portions next = more.isEmpty() ? portions : portions.moved(Grid.NONE, more.getFirst().cell());
    next = permits() ? next.each(each -> each.leased(spans.apply(each.cell()))) : next;
    for (Tally.Counted slice : more) {
      // A later grant does not cover usage that ran over before.
      next =
          next.with(slice.cell(), each -> each.granted(State.sum(each.granted(), slice.amount())));
    }
    next =
        next.each(
            each -> each.granted() > each.used() ? each.during(spans.apply(each.cell())) : each);
    return new SharedState(local, demand, grid, next, held, spent, supplied);
  }

  /**
   * Returns this state for a report: its cells then contain all that it may still spend.
   *
   * @param at the position of the cells
   * @param oldest the first cell that counts
   * @param ahead the last one that anything is granted in
   * @param keep how much may stay free in a cell
   */
  SharedState tallied(Grid at, long oldest, long ahead, long keep, long now) {
    SharedState known =
        new SharedState(local, demand, at, portions, held, spent, supplied).settled(now);
    long running = local instanceof TokenBucketState ? Partition.OUT : known.cellAt(now);
    long last = endsAtOnce() && at.step() > 0 ? Math.max(ahead, running) : running;
    Portions next = known.portions.from(oldest);
    if (held > 0 && running != Grid.NONE) {
      for (long cell = running; cell <= last; cell += Math.max(1, at.step())) {
        next = next.using(cell, 0);
      }
    }
    return known.with(
        next.each(each -> cut(each, each.cell() >= running && each.cell() <= last, keep, now)));
  }

  /** Gives up what is free above {@code keep}, or all when it may no longer be spent. */
  private Portion cut(Portion portion, boolean holds, long keep, long now) {
    long kept = holds ? held : 0;
    long covered = State.sum(spentIn(portion), kept);
    long free = Math.max(0, portion.granted() - covered);
    long stays = portion.span().untilNanos() <= now ? 0 : Math.min(free, keep);
    return portion.granted(State.sum(covered, stays));
  }

  /** Returns this state once the running cell is known: debt that it pays is spent in it. */
  private SharedState settled(long now) {
    if (permits()) {
      return this;
    }
    State alone = own(now);
    long cell = cellAt(now);
    boolean early = portions.has(Grid.NONE);
    Portions next = grid != null && early ? portions.before(alone, grid, now) : portions;
    if (alone instanceof FixedWindowState fixed && fixed.charged() > 0) {
      next = next.with(cell, each -> each.using(Math.max(0, fixed.charged() - each.used())));
    }
    return with(alone, next, held, spent);
  }

  Tally tally(long now) {
    List<Tally.Counted> counted = new ArrayList<>();
    long most = 0;
    long freeLater = 0;
    Portion running = portions.running(now);
    for (Portion each : portions) {
      if (each.cell() != Grid.NONE) {
        counted.add(new Tally.Counted(each.cell(), counts(each)));
      }
      if (each.span().untilNanos() > now) {
        most = Math.max(most, each.free(held));
        freeLater += each.span().fromNanos() > now ? each.free(held) : 0;
      }
    }
    return new Tally(counted, running == null ? 0 : running.free(held), freeLater, most, spent);
  }

  private long counts(Portion portion) {
    return Math.min(MOST, Math.max(spentIn(portion), portion.granted()));
  }

  /** Returns what was spent in a cell. Debt of a fixed window is spent in the cells that pay it. */
  private long spentIn(Portion portion) {
    return local instanceof FixedWindowState fixed
        ? Math.min(portion.used(), fixed.capacity())
        : portion.used();
  }
}
