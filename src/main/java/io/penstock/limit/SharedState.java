package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A limit that others spend too: what this instance alone would admit, and of that no more than it
 * was granted in the cell that runs. What is owed, paced, lowered and held is known to the local
 * one; what was granted and used of each cell of the shared clock is known here.
 *
 * <p>What is held is kept free of the cell that runs, whichever that is. Of a concurrency limit
 * there is one cell, and what is out is used of it.
 */
final class SharedState implements State {
  /** Charged before it was known which cell ran. */
  private static final long UNKNOWN = -1;

  private final State local;
  private final Demand demand;
  private final @Nullable Grid grid;

  /** By cell, oldest first: all that count. */
  private final List<Portion> portions;

  private final long held;
  private final long spent;

  /** The lowest capacity that any instance knows. */
  private final long lowest;

  private SharedState(
      State local,
      Demand demand,
      @Nullable Grid grid,
      List<Portion> portions,
      long held,
      long spent,
      long lowest) {
    this.local = local;
    this.demand = demand;
    this.grid = grid;
    this.portions = portions;
    this.held = held;
    this.spent = spent;
    this.lowest = lowest;
  }

  /** A limit of which nothing was granted yet. */
  static SharedState sharing(State local, Demand demand, long now) {
    State alone =
        switch (local) {
          case SharedState shared -> shared.local;
          case CountedState counted -> counted.own();
          case State unshared -> unshared.frozen();
        };
    Balance owed = alone.balance(now);
    boolean permits = alone instanceof ConcurrencyState;
    Portion out = permits ? Portion.of(0).using(owed.held()) : Portion.of(UNKNOWN);
    return new SharedState(
        alone, demand, null, List.of(out), permits ? 0 : owed.held(), 0, Long.MAX_VALUE);
  }

  private SharedState with(State local, List<Portion> portions, long held, long spent) {
    return new SharedState(local, demand, grid, portions, held, spent, lowest);
  }

  private SharedState with(List<Portion> portions) {
    return with(local, portions, held, spent);
  }

  private SharedState with(State next) {
    return with(next, portions, held, spent);
  }

  @Override
  public Demand demand() {
    return demand;
  }

  private boolean permits() {
    return local instanceof ConcurrencyState;
  }

  /** A shared fixed window begins when its cell does. */
  private State local(long now) {
    return local instanceof FixedWindowState fixed && grid != null
        ? fixed.anchored(grid.startOf(grid.cellAt(now)), now)
        : local;
  }

  private long cellAt(long now) {
    if (permits()) {
      return 0;
    }
    return grid == null ? UNKNOWN : grid.cellAt(now);
  }

  private @Nullable Portion running(long now) {
    for (int at = portions.size() - 1; at >= 0; at--) {
      if (portions.get(at).span().runs(now)) {
        return portions.get(at);
      }
    }
    return null;
  }

  private List<Portion> changed(long cell, long used) {
    List<Portion> next = new ArrayList<>(portions);
    int at = Portion.at(next, cell);
    next.set(at, next.get(at).using(used));
    return next;
  }

  @Override
  public LimitSpec spec() {
    return local.spec();
  }

  @Override
  public long capacity() {
    return Math.min(lowest, local.capacity());
  }

  @Override
  public long capacity(long now) {
    return Math.min(lowest, local.capacity(now));
  }

  @Override
  public long restores(long now) {
    return local.restores(now);
  }

  @Override
  public State told(Notice notice, long now) {
    State next = local.told(notice, now);
    return next.equals(local) ? this : with(next);
  }

  @Override
  public State widened(long nanos) {
    State next = local.widened(nanos);
    return next.equals(local) ? this : with(next);
  }

  @Override
  public @Nullable Learned learned(long now) {
    return local.learned(now);
  }

  @Override
  public long roomAlone(long now) {
    return Math.min(lowest, local(now).room(now));
  }

  @Override
  public long room(long now) {
    Portion running = running(now);
    return running == null ? 0 : Math.min(roomAlone(now), running.free(held));
  }

  @Override
  public State unshared(long now) {
    return local(now);
  }

  @Override
  public State forgiven() {
    return with(local.forgiven());
  }

  @Override
  public void lacks(long amount, long now) {
    if (amount <= roomAlone(now)) {
      demand.lacks(amount);
    }
  }

  @Override
  public long paced(long amount, long now) {
    return local(now).paced(amount, now);
  }

  /** Never, when only what others are granted less of could help. */
  @Override
  public long opens(long amount, long now) {
    long alone = local(now).opens(amount, now);
    for (Portion portion : portions) {
      long instant = Math.max(alone, Math.max(now, portion.span().fromNanos()));
      if (instant < portion.span().untilNanos() && portion.free(held) >= amount) {
        return instant;
      }
    }
    return alone > now ? alone : Ticker.NEVER;
  }

  @Override
  public long forecast(long ahead, long own, long now) {
    return local(now).forecast(ahead, own, now);
  }

  @Override
  public Taken take(long taken, long held, long now) {
    Portion running = running(now);
    long cell = running == null ? cellAt(now) : running.cell();
    Taken alone = local(now).take(taken, held, now);
    long used = permits() ? taken + held : taken;
    SharedState next =
        with(
            beginning(alone.next(), now),
            changed(cell, used),
            this.held + (permits() ? 0 : held),
            State.sum(spent, taken + held));
    return new Taken(next, alone.receipt().in(cell));
  }

  /** An idle window would begin with its first use. */
  private State beginning(State next, long now) {
    return next instanceof FixedWindowState fixed && grid != null
        ? fixed.beginning(grid.startOf(grid.cellAt(now)))
        : next;
  }

  @Override
  public State give(long cell, long taken, long held, long now) {
    return give(new Answer.Receipt(cell, taken, held), taken, held, now);
  }

  @Override
  public State give(Answer.Receipt receipt, long taken, long held, long now) {
    State alone = local(now);
    State next =
        alone instanceof FixedWindowState fixed
            ? fixed.give(ofWindow(receipt, fixed, now), taken, held, now)
            : alone.give(receipt, taken, held, now);
    boolean counts = portions.stream().anyMatch(each -> each.cell() == receipt.shared());
    long back = permits() ? taken + held : taken;
    return with(
        next,
        counts ? changed(receipt.shared(), -back) : portions,
        permits() ? 0 : Math.max(0, this.held - held),
        spent);
  }

  /** The start of the window, as it is counted now, where the receipt is of it. */
  private long ofWindow(Answer.Receipt receipt, FixedWindowState fixed, long now) {
    return receipt.shared() == cellAt(now) ? fixed.start() : Long.MIN_VALUE;
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    Portion running = running(now);
    long cell = running == null ? cellAt(now) : running.cell();
    Taken alone = local(now).charge(amount, unheld, now);
    SharedState next =
        with(
            beginning(alone.next(), now),
            changed(cell, permits() ? -unheld : amount),
            permits() ? 0 : Math.max(0, held - unheld),
            State.sum(spent, Math.max(0, amount - unheld)));
    return new Taken(next, alone.receipt().in(cell));
  }

  @Override
  public Balance balance(long now) {
    return local(now).balance(now);
  }

  @Override
  public List<Cell> cells(long now) {
    return local(now).cells(now);
  }

  @Override
  public State become(LimitSpec next, long now) {
    return with(local(now).become(next, now).frozen());
  }

  /** This state when its slices may be spent no more. */
  SharedState dropped() {
    List<Portion> next = new ArrayList<>();
    portions.forEach(each -> next.add(each.granted(each.used()).during(Grid.Span.NEVER)));
    return with(next);
  }

  /** This state with slices more; all of them may be spent in the spans that are said of them. */
  SharedState granted(List<Tally.Counted> more, long capacity, LongFunction<Grid.Span> spans) {
    List<Portion> next = new ArrayList<>(portions);
    for (Tally.Counted slice : more) {
      int at = Portion.at(next, slice.cell());
      Portion portion = next.get(at);
      // What ran over is not covered by what is granted after it was told.
      next.set(at, portion.granted(State.sum(portion.granted(), slice.amount())));
    }
    next.replaceAll(
        each -> each.granted() > each.used() ? each.during(spans.apply(each.cell())) : each);
    return new SharedState(local, demand, grid, next, held, spent, capacity);
  }

  /**
   * This state as it is to be reported: all that it may still spend is what its portions then say.
   *
   * @param at how cells lie
   * @param oldest the first cell that counts
   * @param ahead the last one that anything is granted in
   * @param keep how much may stay free in a cell
   */
  SharedState tallied(Grid at, long oldest, long ahead, long keep, long now) {
    List<Portion> next = new ArrayList<>();
    SharedState known =
        new SharedState(local, demand, at, portions, held, spent, lowest).settled(now);
    long running = known.cellAt(now);
    for (Portion portion : known.portions) {
      if (portion.cell() >= oldest) {
        next.add(portion);
      }
    }
    long last = local instanceof FixedWindowState ? Math.max(ahead, running) : running;
    for (long cell = running; held > 0 && cell <= last; cell++) {
      Portion.at(next, cell);
    }
    next.replaceAll(each -> cut(each, each.cell() >= running && each.cell() <= last, keep, now));
    return known.with(next);
  }

  /** What is free above what is kept is given up, and all of it once it may be spent no more. */
  private Portion cut(Portion portion, boolean holds, long keep, long now) {
    long kept = holds ? held : 0;
    long covered = State.sum(spentIn(portion), kept);
    long free = Math.max(0, portion.granted() - covered);
    boolean over = portion.span().untilNanos() <= now;
    return portion.granted(State.sum(covered, over ? 0 : Math.min(free, keep)));
  }

  /** This state once it is known which cell runs: debt that it pays is spent in it. */
  private SharedState settled(long now) {
    if (permits()) {
      return this;
    }
    State alone = local(now);
    long cell = cellAt(now);
    List<Portion> next = new ArrayList<>(portions);
    if (grid != null && !next.isEmpty() && next.getFirst().cell() == UNKNOWN) {
      next.removeFirst();
      Portion.spend(next, alone, grid, now);
    }
    if (alone instanceof FixedWindowState fixed && fixed.charged() > 0) {
      int at = Portion.at(next, cell);
      Portion portion = next.get(at);
      next.set(at, portion.using(Math.max(0, fixed.charged() - portion.used())));
    }
    return with(alone, next, held, spent);
  }

  Tally tally(long now) {
    List<Tally.Counted> counted = new ArrayList<>();
    long most = 0;
    long freeLater = 0;
    Portion running = running(now);
    for (Portion each : portions) {
      counted.add(new Tally.Counted(each.cell(), counts(each)));
      if (each.span().untilNanos() > now) {
        most = Math.max(most, each.free(held));
        freeLater += each.span().fromNanos() > now ? each.free(held) : 0;
      }
    }
    long freeNow = running == null ? 0 : running.free(held);
    return new Tally(counted, freeNow, freeLater, most, spent);
  }

  private long counts(Portion portion) {
    return Math.min(MOST, Math.max(spentIn(portion), portion.granted()));
  }

  /** Debt of a fixed window is spent in the cells that pay it. */
  private long spentIn(Portion portion) {
    return local instanceof FixedWindowState fixed
        ? Math.min(portion.used(), fixed.capacity())
        : portion.used();
  }
}
