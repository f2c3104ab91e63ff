package io.penstock.limit;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How much may pass. Safe from any thread: each change is one compare-and-set, of an immutable
 * state or of the one word of an open window.
 *
 * <p>All instants are nanoseconds of one monotonic clock, given by the caller. Amounts are requests
 * or tokens, whichever the limit counts.
 */
public final class Limit {
  /** How many sub-cells a window has. */
  static final int SUB_CELLS = 60;

  private static final Answer.Receipt NOTHING = new Answer.Receipt(0, 0, 0);

  private final AtomicReference<State> state;

  /** Makes a limit that owes nothing. */
  public Limit(LimitSpec spec, long now) {
    this(State.of(spec, Balance.ZERO, now));
  }

  private Limit(State first) {
    state = new AtomicReference<>(first.kept());
  }

  /**
   * Makes a limit that remembers {@link #cells} of one before it, and admits nothing that the other
   * one would not: what a provider said of it is forgotten, and what was held is charged.
   *
   * @param cells in any order; one from after {@code since} counts as if it were of that instant
   * @param since the instant at which they were read, at most {@code now}
   */
  public static Limit restored(LimitSpec spec, List<Cell> cells, long since, long now) {
    return cells.isEmpty()
        ? new Limit(spec, now)
        : new Limit(Restored.state(spec, cells, since, now));
  }

  State state() {
    return state.getAcquire();
  }

  /** Returns what the limit is to do. */
  public LimitSpec spec() {
    return state().spec();
  }

  /** Returns the most that could ever be admitted at once. */
  public long capacity() {
    return state().capacity();
  }

  /** Returns the most that could be admitted at once now: less while a provider said so. */
  public long capacity(long now) {
    return state().capacity(now);
  }

  /** Returns the instant from which no provider lowers it; now when none does. */
  public long restores(long now) {
    return state().restores(now);
  }

  /**
   * Returns what would be admitted now, pacing aside. An empty limit answers {@link
   * Long#MAX_VALUE}, because it cuts any expectation to what it has.
   */
  public long room(long now) {
    State current = state();
    long room = current.room(now);
    return room >= current.capacity(now) ? Long.MAX_VALUE : room;
  }

  /** Returns the length of a sub-cell in nanoseconds: charges within one need not be told apart. */
  public long subCellNanos() {
    return spec().subCellNanos();
  }

  /** Returns how much of the limit is in use, 0 to 1. */
  public double utilization(long now) {
    long capacity = capacity(now);
    return capacity == Long.MAX_VALUE ? 0 : 1 - (double) state().roomAlone(now) / capacity;
  }

  /** Returns the instant from which the pace lets {@code amount} pass, at most now if it does. */
  public long paced(long amount, long now) {
    State current = state();
    return current.paced(Math.min(amount, current.capacity(now)), now);
  }

  /** Returns {@link #earliest}, pacing aside. */
  public long opens(long amount, long now) {
    State current = state();
    long cut = Math.min(amount, current.capacity(now));
    return current.lacking(cut, current.opens(cut, now), now);
  }

  /**
   * Returns the instant at which {@code amount}, cut to the capacity, is admitted if nothing else
   * happens: now, a later instant, or {@link io.penstock.time.Ticker#NEVER}.
   */
  public long earliest(long amount, long now) {
    State current = state();
    long cut = Math.min(amount, current.capacity(now));
    return current.lacking(cut, current.earliest(cut, now), now);
  }

  /** Returns from when on it is as good as new if nothing else happens here, pacing aside. */
  public long full(long now) {
    return state().full(now);
  }

  /** Returns what is left of it now for all who spend it, as far as is known here. */
  public Left left(long now) {
    return state().left(now);
  }

  /** Returns an estimate, in nanoseconds, of the wait of {@code own} behind {@code ahead}. */
  public long forecast(long ahead, long own, long now) {
    State current = state();
    return current.forecast(ahead, Math.min(own, current.capacity(now)), now);
  }

  /** Says what {@link #take} would say, and takes nothing: a receipt here is of nothing taken. */
  public Answer decide(Weight weight, long now) {
    return look(state(), weight, now);
  }

  /**
   * Takes {@code weight}, its expectation cut to the capacity, or says when or that it cannot be.
   */
  public Answer take(Weight weight, long now) {
    while (true) {
      State current = state();
      if (current instanceof OpenWindow open
          && weight.held() == 0
          && open.tryTake(weight.taken(), now)) {
        return open.receipt(weight.taken());
      }
      Answer answer = look(current, weight, now);
      if (answer instanceof Answer.Receipt && current instanceof OpenWindow) {
        answer = look(current.frozen(), weight, now); // others may have taken what was seen
      }
      if (!(answer instanceof Answer.Receipt)) {
        return answer;
      }
      Weight cut = cut(current, weight, now);
      State.Taken taken = current.take(cut.taken(), cut.held(), now);
      if (replace(current, taken.next())) {
        return taken.receipt();
      }
    }
  }

  /**
   * Takes {@code amount} &gt; 0 for good, without a receipt that could give it back; returns false,
   * and takes nothing, when it is not admitted now. Allocates nothing in a fixed window that has
   * neither debt nor holds.
   */
  public boolean admit(long amount, long now) {
    if (state() instanceof OpenWindow open && open.tryTake(amount, now)) {
      return true;
    }
    return take(Weight.exactly(amount), now) instanceof Answer.Receipt;
  }

  boolean replace(State current, State next) {
    return state.compareAndSet(current, next.kept());
  }

  /** Has another state take the place of this one, unless it is an equal one. */
  void change(UnaryOperator<State> step) {
    while (true) {
      State current = state();
      State next = step.apply(current);
      if (next.equals(current) || replace(current, next)) {
        return;
      }
    }
  }

  /** What other regions count stays beside it. */
  private void inside(UnaryOperator<State> step) {
    change(current -> current.within(step));
  }

  /** Changes what is shared; returns what it is then, or null when nothing is. */
  private @Nullable SharedState changeShared(UnaryOperator<SharedState> step) {
    while (true) {
      State current = state();
      if (!(current.inside().joined() instanceof SharedState shared)) {
        return null;
      }
      SharedState next = step.apply(shared);
      if (replace(current, current.within(inside -> inside.rejoined(next)))) {
        return next;
      }
    }
  }

  private static Answer look(State current, Weight weight, long now) {
    long capacity = current.capacity();
    if (weight.least() > capacity) {
      return new Answer.Refuse(capacity);
    }
    long amount = cut(current, weight, now).amount();
    if (amount <= current.room(now) && current.paced(amount, now) <= now) {
      return NOTHING;
    }
    long until = current.lacking(amount, current.earliest(amount, now), now);
    // An open window may have got room between the two looks.
    return until <= now ? NOTHING : new Answer.Wait(Math.min(until, current.ends(amount, now)));
  }

  /** What cannot be cut to a lowered capacity waits for the whole one. */
  private static Weight cut(State current, Weight weight, long now) {
    return weight.within(current.capacity(now)).within(current.capacity());
  }

  /**
   * Returns part or all of a receipt that was not used: {@code taken} only while the cell it was
   * taken from counts, {@code held} always.
   */
  public void give(Answer.Receipt receipt, long taken, long held, long now) {
    while (true) {
      State current = state();
      if (current instanceof OpenWindow open && open.tryGive(receipt.cell(), taken, now)) {
        return;
      }
      if (replace(current, current.give(receipt, taken, held, now))) {
        return;
      }
    }
  }

  /** Charges the running window, fitting or not, and lets go {@code unheld} of what is held. */
  public Answer.Receipt charge(long amount, long unheld, long now) {
    while (true) {
      State current = state();
      if (current instanceof OpenWindow open && open.tryCharge(amount, now)) {
        return open.receipt(amount);
      }
      State.Taken charged = current.charge(amount, unheld, now);
      if (replace(current, charged.next())) {
        return charged.receipt();
      }
    }
  }

  /** Gives the limit another spec; what is charged, owed and held stays. */
  public void resize(LimitSpec spec, long now) {
    change(current -> current.spec().equals(spec) ? current : current.become(spec, now));
  }

  /** Widens a trailing window beyond its guard by 0 to 500 ms; no effect on other limits. */
  public void widen(long nanos) {
    change(current -> current.widened(nanos));
  }

  /**
   * Takes note of what a provider says, unless it said more with the answer to a later request: it
   * never gives more than the limit itself. A lower limit holds for 120 s. Returns whether anything
   * may go sooner than before. No effect on other limits than trailing windows.
   */
  public boolean told(Notice notice, long now) {
    while (true) {
      State current = state();
      State next = current.told(notice, now);
      if (next.equals(current)) {
        return false;
      }
      if (replace(current, next)) {
        return next.soonerThan(current, now);
      }
    }
  }

  /** Returns what a provider said last of a trailing window, or null. */
  public @Nullable Learned learned(long now) {
    return state().learned(now);
  }

  /**
   * Has it leave room for what others counted, from now on; no effect on limits without a window.
   * What is owed and remembered stays what was counted here.
   *
   * @param others all that was heard of them, in the place of what was known before
   * @param demand who waits for it, to be woken when it rejoins others or is cut off from them
   */
  public void others(Foreign others, Demand demand, long now) {
    inside(each -> each.rejoined(CountedState.of(each.joined(), others, demand, now)));
  }

  /** Has it leave room for what others counted no more. */
  public void uncount() {
    inside(State::uncounted);
  }

  /**
   * Has what is shared or counted with others let pass what {@code cut} says, until it {@linkplain
   * #rejoin rejoins} them; no effect on other limits.
   */
  public void cutOff(Cut cut) {
    inside(each -> CutState.of(each.joined(), cut));
  }

  /** Undoes {@link #cutOff}: what is owed and held stays. */
  public void rejoin() {
    inside(State::joined);
  }

  /** Returns why nothing passes, and nobody is to wait, while it is cut off; otherwise null. */
  public @Nullable Refusal refusal() {
    State inside = state().inside();
    return inside instanceof CutState(State shared, Cut.Shut(Refusal refusal)) ? refusal : null;
  }

  /** Returns what is owed at {@code now}. */
  public Balance balance(long now) {
    return state().balance(now);
  }

  /**
   * Returns what is to be remembered if the limit is made anew, oldest first: nothing when nothing
   * is owed. What is held is there as charged now; of a concurrency limit nothing is.
   */
  public List<Cell> cells(long now) {
    return state().cells(now);
  }

  /**
   * Has others spend it too: from now on no more passes than what is {@linkplain #granted granted}.
   * What is owed and held stays; shared already, all slices are forgotten.
   */
  public void share(Demand demand, long now) {
    inside(each -> each.rejoined(SharedState.sharing(each.joined(), demand, now)));
  }

  /** Undoes {@link #share}: what is owed and held stays, and nobody else spends of it. */
  public void unshare(long now) {
    inside(each -> each.unshared(now));
  }

  /** Returns who waits for what others leave of it, or null. */
  public @Nullable Demand demand() {
    return state().demand();
  }

  /** Returns whether slices alone lack, and some may come at any moment, or begin. */
  public boolean dry(long amount, long now) {
    return state().dry(amount, now);
  }

  /** Returns whether only slices that are not here would let {@code amount} pass. */
  public boolean lacks(long amount, long now) {
    return state().opens(amount, now) == Ticker.NEVER;
  }

  /**
   * Returns what is to be reported of a shared limit. Nothing more than that is spent until more is
   * granted, but for what runs over.
   *
   * @param grid how its cells lie about now
   * @param oldest the first cell that counts; those before it are forgotten
   * @param ahead the last cell that anything is granted in
   * @param keep what is free above it in a cell is given up
   */
  public Tally tally(Grid grid, long oldest, long ahead, long keep, long now) {
    SharedState shared = changeShared(each -> each.tallied(grid, oldest, ahead, keep, now));
    return Objects.requireNonNull(shared, "the limit is not shared").tally(now);
  }

  /**
   * Adds slices to a shared limit, and lets it spend all it has in the spans that are said.
   *
   * @param more amounts by cell
   * @param supplied what was said with them
   * @param spans when what is left of a cell may be spent
   */
  public void granted(List<Tally.Counted> more, Supplied supplied, LongFunction<Grid.Span> spans) {
    changeShared(each -> each.granted(more, supplied, spans));
  }

  /** Lets no more of its slices be spent. */
  public void dropSlices() {
    changeShared(SharedState::dropped);
  }
}
