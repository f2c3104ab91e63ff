package io.penstock.limit;

import io.penstock.cost.Weight;
import io.penstock.tenant.PromiseHolder;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * Limit on how much may pass. Safe from any thread: each change is one compare-and-set, of an
 * immutable state or of the single word of an open window.
 *
 * <p>All instants are nanoseconds of one monotonic clock, passed by the caller. Amounts are
 * requests or tokens, whichever the limit counts.
 */
public final class Limit {
  private static final LimitAnswer.Receipt NOTHING = new LimitAnswer.Receipt(0, 0, 0);

  @SharedState("limits")
  private final AtomicReference<LimitState> state;

  private final PromisedRoom promisedRoom = new PromisedRoom();
  private final OpenDiscounts discounts;

  /** Whether a request runs that may add more input than there is room for. */
  @SharedState("limits")
  private final AtomicBoolean unseen;

  /** Whether others spend the original of this copy. */
  private final boolean spentByOthers;

  /** Creates a limit that owes nothing. */
  public Limit(LimitSpec spec, long now) {
    this(StateFactory.starting(spec, LimitBalance.ZERO, now));
  }

  private Limit(LocalState first) {
    this(LimitState.of(first), new OpenDiscounts(), false, false);
  }

  private Limit(LimitState first, OpenDiscounts discounts, boolean unseen, boolean spentByOthers) {
    this.unseen = new AtomicBoolean(unseen);
    this.state = new AtomicReference<>(first.storedForm());
    this.discounts = discounts;
    this.spentByOthers = spentByOthers;
  }

  /**
   * Creates a limit that remembers {@link #cells} of an earlier one, and admits nothing the earlier
   * one would not. It forgets a provider's statements; reserved output counts as charged.
   *
   * @param cells in any order; a cell later than {@code since} counts as if it were of that instant
   * @param since the instant at which the cells were read, at most {@code now}
   */
  public static Limit restored(LimitSpec spec, List<ChargedCell> cells, long since, long now) {
    return cells.isEmpty()
        ? new Limit(spec, now)
        : new Limit(StateFactory.restored(spec, cells, since, now));
  }

  LimitState state() {
    return state.getAcquire();
  }

  /** Returns the specification of the limit. */
  public LimitSpec spec() {
    return state().spec();
  }

  /** Returns the largest amount that could ever be admitted at once. */
  public long capacity() {
    return state().capacity();
  }

  /** Returns the largest amount that could be admitted now: less while a provider lowers it. */
  public long capacity(long now) {
    return state().capacity(now);
  }

  /**
   * Returns the amount that would be admitted now, ignoring the pace. An unused limit returns
   * {@link Long#MAX_VALUE}, because it cuts any expected cost to its capacity.
   */
  public long room(long now) {
    LimitState current = state();
    long room = current.room(now);
    return room >= current.capacity(now) ? Long.MAX_VALUE : room;
  }

  /** Returns the used part of the limit, 0 to 1. */
  public double utilization(long now) {
    long capacity = capacity(now);
    return capacity == Long.MAX_VALUE ? 0 : 1 - (double) state().localRoom(now) / capacity;
  }

  /** Returns the instant from which the pace lets {@code amount} pass, at most now if it does. */
  public long paceAllowsAt(long amount, long now) {
    LimitState current = state();
    return current.paceAllowsAt(Math.min(amount, current.capacity(now)), now);
  }

  /** Returns {@link #admittedAt}, ignoring the pace. */
  public long roomFreeAt(long amount, long now) {
    LimitState current = state();
    return current.roomFreeAt(Math.min(amount, current.capacity(now)), now);
  }

  /**
   * Returns the instant at which {@code amount}, cut to the capacity, is admitted if nothing else
   * happens: now, a later instant, or {@link Ticker#NEVER}.
   */
  public long admittedAt(long amount, long now) {
    LimitState current = state();
    return current.admittedAt(Math.min(amount, current.capacity(now)), now);
  }

  /**
   * Returns the instant at which {@code amount}, cut to the capacity, is admitted after what
   * refused requests were told to come back for, and counts it for those refused later; or {@link
   * Ticker#NEVER}. Nothing is kept free for it.
   */
  public long promise(PromiseHolder client, long amount, long now) {
    return promisedRoom.promise(state(), client, amount, now);
  }

  /** Returns the instant from which all is free if nothing else happens here, ignoring the pace. */
  public long fullyFreeAt(long now) {
    return state().fullyFreeAt(now);
  }

  /**
   * Returns the end of the running day of a limit of a day or month; {@link Ticker#NEVER} when none
   * runs.
   */
  public long dayEndsAt(long now) {
    return state().local() instanceof DayState day && !day.isIdle(now)
        ? day.endsAt()
        : Ticker.NEVER;
  }

  /** Returns what is left of the limit now for all that spend it, as far as is known here. */
  public LimitRemainder remainder(long now) {
    return state().remainder(now);
  }

  /** Returns what all that spend the limit have charged or keep reserved, as far as is known. */
  public long used(long now) {
    return state().used(now);
  }

  /** Returns a copy that goes on as if this instance alone spent the limit. */
  public Limit dryCopy(long now) {
    LimitState current = state();
    return new Limit(current.alone(now), discounts.copy(), unseen.get(), current.isShared());
  }

  /**
   * Returns whether an event may change what a copy admits before time alone does: the end of a
   * running answer, or what others do that spend the limit, too.
   */
  public boolean dependsOnEvents(long now) {
    LimitState current = state();
    return spentByOthers
        || current.local() instanceof ConcurrencyState
        || current.balance(now).reserved() > 0
        || discounts.sum() > 0
        || unseen.get();
  }

  /** Returns a copy from which requests can be taken in advance, to see when they would go. */
  public LimitProjection projection(long now) {
    return new LimitProjection(state(), now);
  }

  /**
   * Records that {@code amount} is waited for, if only a larger share is lacking: it may be asked
   * for, and the waiters are woken when there may be enough. {@link #take} does so itself.
   */
  public void recordDemand(long amount, long now) {
    LimitState current = state();
    current.recordDemand(Math.min(amount, current.capacity(now)), now);
  }

  /** Returns the answer that {@link #take} would give, but takes nothing. */
  public LimitAnswer decide(Weight weight, long now) {
    return look(state(), weight, now);
  }

  /**
   * Takes {@code weight}, its expectation cut to the capacity, or returns when, if ever, it can be.
   */
  public LimitAnswer take(Weight weight, long now) {
    OpenWindow open = state().openWindow();
    return open != null && weight.reserved() == 0 && open.tryTake(weight.taken(), now)
        ? open.receipt(weight.taken())
        : takeFromState(weight, now);
  }

  private LimitAnswer takeFromState(Weight weight, long now) {
    while (true) {
      LimitState current = state();
      LimitAnswer limitAnswer = look(current, weight, now);
      OpenWindow open = current.openWindow();
      if (limitAnswer instanceof LimitAnswer.Receipt && open != null) {
        // others may have taken since
        limitAnswer = look(LimitState.of(open.frozen()), weight, now);
      }
      Weight cut = cut(current, weight, now);
      if (!(limitAnswer instanceof LimitAnswer.Receipt)) {
        current.recordDemand(cut.amount(), now);
        return limitAnswer;
      }
      LimitState.Successor taken = current.take(cut.taken(), cut.reserved(), now);
      if (replace(current, taken.next())) {
        taken.next().tellOfDay(current);
        return taken.receipt();
      }
    }
  }

  boolean replace(LimitState current, LimitState next) {
    return state.compareAndSet(current, next.storedForm());
  }

  /** Replaces the state by the result of {@code step}, unless they are equal. */
  void change(UnaryOperator<LimitState> step) {
    while (true) {
      LimitState current = state();
      LimitState next = step.apply(current);
      if (next.equals(current) || replace(current, next)) {
        return;
      }
    }
  }

  private static LimitAnswer look(LimitState current, Weight weight, long now) {
    long capacity = current.capacity();
    if (weight.whole() > capacity) {
      return new LimitAnswer.Refuse(capacity);
    }
    long amount = cut(current, weight, now).amount();
    if (amount <= current.room(now) && current.paceAllowsAt(amount, now) <= now) {
      return NOTHING;
    }
    long until = current.admittedAt(amount, now);
    // An open window may have gained room between the two looks.
    return until <= now
        ? NOTHING
        : new LimitAnswer.Wait(Math.min(until, current.wholeRoomFreeAt(amount, now)));
  }

  /**
   * Cuts a weight to the capacity, and what can be spared of it to the room that is left. If a
   * lowered capacity is too little, it waits for the full one.
   */
  private static Weight cut(LimitState current, Weight weight, long now) {
    boolean needsAll = weight.spare() == 0 && weight.unseen() == 0;
    Weight spared = needsAll ? weight : weight.spared(current.room(now));
    return spared.within(current.capacity(now)).within(current.capacity());
  }

  /** Returns whether a request runs that may add more input than there is room for. */
  public boolean runsUnseen() {
    return unseen.get();
  }

  /** Begins such a request, unless another one runs; returns whether it did. */
  public boolean beginUnseen() {
    return unseen.compareAndSet(false, true);
  }

  /** Ends such a request. */
  public void endUnseen() {
    unseen.set(false);
  }

  /**
   * Gives back part or all of a receipt that was not used: {@code taken} only while the cell it was
   * taken from counts, {@code held} always.
   */
  public void giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    while (true) {
      LimitState current = state();
      OpenWindow open = current.openWindow();
      if (open != null && open.tryGive(receipt.cell(), taken, now)) {
        return;
      }
      if (replace(current, current.giveBack(receipt, taken, held, now))) {
        return;
      }
    }
  }

  /**
   * Moves the charge of a trailing window to the sub-cell of {@code now}, so that it counts as if
   * it had been taken now. Never moves it to an earlier sub-cell, and has no effect on other
   * limits.
   *
   * @return the receipt of the charge from now on
   */
  public LimitAnswer.Receipt moveForward(LimitAnswer.Receipt receipt, long now) {
    while (true) {
      LimitState current = state();
      LimitState.Successor moved = current.moved(receipt, now);
      if (moved == null) {
        return receipt;
      }
      if (replace(current, moved.next())) {
        return moved.receipt();
      }
    }
  }

  /**
   * Charges the running window in any case, and releases {@code released} of the reserved output.
   */
  public LimitAnswer.Receipt charge(long amount, long released, long now) {
    while (true) {
      LimitState current = state();
      OpenWindow open = current.openWindow();
      if (open != null && open.tryCharge(amount, now)) {
        return open.receipt(amount);
      }
      LimitState.Successor charged = current.charge(amount, released, now);
      if (replace(current, charged.next())) {
        charged.next().tellOfDay(current);
        return charged.receipt();
      }
    }
  }

  /** Replaces the spec of the limit. Charges, debt and reserved output stay. */
  public void resize(LimitSpec spec, long now) {
    change(current -> current.spec().equals(spec) ? current : current.withSpec(spec, now));
  }

  /**
   * Makes nothing count any more that was charged in the running day or month. Reserved output
   * stays. Has no effect on a limit that others share, or that is not of a day or month.
   */
  public void emptyDay() {
    change(LimitState::emptied);
  }

  /** Returns what the limit owes at {@code now}. */
  public LimitBalance balance(long now) {
    return state().balance(now);
  }

  /**
   * Returns the charges to remember if the limit is created anew, oldest first: nothing when
   * nothing is owed. Reserved output counts as charged now. Permits are not remembered.
   */
  public List<ChargedCell> cells(long now) {
    return state().cells(now);
  }

  /** Returns the discounts on charges of this limit. */
  public OpenDiscounts discounts() {
    return discounts;
  }

  /**
   * Returns the part of the capacity that this instance has to itself: all of it, unless others
   * share the limit. The parts of all sharers together are not more than the limit.
   */
  public long ownCapacity(long now) {
    return state().ownCapacity(now);
  }

  /** Returns the operations that a provider's answers cause. */
  public LimitFeedback feedback() {
    return new LimitFeedback(this);
  }

  /** Returns the operations that sharing with other instances needs. */
  public LimitSharing sharing() {
    return new LimitSharing(this);
  }
}
