package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One state of a limit: immutable, its successors are pure functions of it and an instant. {@link
 * OpenWindow} alone changes in place until it is frozen.
 *
 * <p>Instants given to one limit may be slightly out of order, because threads race; a state treats
 * an instant before its own as its own.
 */
sealed interface State
    permits UnlimitedState,
        StrictState,
        TokenBucketState,
        SlidingWindowState,
        SlidingCellsState,
        FixedWindowState,
        OpenWindow,
        TrailingWindowState,
        ConcurrencyState,
        DayState,
        Around {
  /**
   * Amounts and instants stop here, however much an answer claims to have used: no sum overflows.
   */
  long MOST = Long.MAX_VALUE / 4;

  /** Returns a + b, at most {@link #MOST}. */
  static long sum(long a, long b) {
    return Math.min(MOST, Math.min(a, MOST) + Math.min(b, MOST));
  }

  /** This state as one that does not change: itself, unless it changed in place until now. */
  default State frozen() {
    return this;
  }

  /** This state as the one to keep: itself, or the same one that changes in place. */
  default State kept() {
    return this;
  }

  LimitSpec spec();

  /** The most that could ever be admitted at once. */
  long capacity();

  /** The most that could be admitted at once while what the provider said last is in force. */
  default long capacity(long now) {
    return capacity();
  }

  /** The instant from which it is as good as new if nothing else happens here, pacing aside. */
  default long full(long now) {
    return opens(capacity(now), now);
  }

  /** The instant from which it is all that is configured again; {@code now} when it is. */
  default long restores(long now) {
    return now;
  }

  /** This limit knowing what a provider says: only trailing windows are a provider's. */
  default State told(Notice notice, long now) {
    return this;
  }

  /** What would be admitted now, pacing aside, ≥ 0. */
  long room(long now);

  /** What would be admitted now if nobody else took anything from the limit, pacing aside. */
  default long roomAlone(long now) {
    return room(now);
  }

  /** What is left of it for all who spend it, as far as is known, and when all of it is. */
  default Left left(long now) {
    return new Left(room(now), full(now));
  }

  /** What it is apart from what other regions count: itself, unless they share it. */
  default State inside() {
    return this;
  }

  /** This state with what it is {@link #inside} changed. */
  default State within(UnaryOperator<State> step) {
    return step.apply(this);
  }

  /** What it is apart from being cut off from others: itself, unless it is. */
  default State joined() {
    return this;
  }

  /** This state with another one in the place of {@link #joined}. */
  default State rejoined(State next) {
    return next;
  }

  /** This state when others spend it no more. */
  default State unshared(long now) {
    return this;
  }

  /** This state when others count it no more. */
  default State uncounted() {
    return this;
  }

  /** Who waits for what others leave, or null. */
  default @Nullable Demand demand() {
    return null;
  }

  /** This state when what was let pass in excess counts in its window, and is no debt. */
  default State forgiven() {
    return this;
  }

  /** This state widened by {@code nanos} beyond the spec's guard: only trailing windows are. */
  default State widened(long nanos) {
    return this;
  }

  /**
   * Whether anything may go sooner than in another state: linear growth is told by its two ends.
   */
  default boolean soonerThan(State before, long now) {
    return room(now) > before.room(now)
        || earliest(1, now) < before.earliest(1, now)
        || earliest(capacity(now), now) < before.earliest(before.capacity(now), now);
  }

  /** What the provider said last, or null. */
  default @Nullable Learned learned(long now) {
    return null;
  }

  /** Takes note that {@code amount} is waited for, where others may grant it. */
  default void lacks(long amount, long now) {}

  /** Has a caller that must wait until {@code instant} woken when others grant the rest sooner. */
  default long lacking(long amount, long instant, long now) {
    if (instant > now) {
      lacks(amount, now);
    }
    return instant;
  }

  /** The instant from which the pace lets {@code amount} pass; at or before now when it does. */
  long paced(long amount, long now);

  /** The instant at which {@code amount} ≤ capacity has room if nothing else happens. */
  long opens(long amount, long now);

  /** The instant at which {@code amount} ≤ capacity is admitted if nothing else happens. */
  default long earliest(long amount, long now) {
    return Math.max(opens(amount, now), paced(amount, now));
  }

  /** Whether slices alone are lacking, and nobody knows yet whether there are any. */
  default boolean dry(long amount, long now) {
    return false;
  }

  /** When all starts anew of which others are known to have what is lacking; never of most. */
  default long ends(long amount, long now) {
    return Ticker.NEVER;
  }

  /**
   * How long {@code ahead} and then {@code own} would take to be admitted, in nanoseconds: an
   * estimate for {@code ahead} &gt; 0.
   */
  long forecast(long ahead, long own, long now);

  /** Takes what was found to be admitted now. */
  Taken take(long taken, long held, long now);

  /** Returns what was taken and never used; what was charged only where its cell still counts. */
  State give(long cell, long taken, long held, long now);

  /** Returns part or all of a receipt. */
  default State give(Answer.Receipt receipt, long taken, long held, long now) {
    return give(receipt.cell(), taken, held, now);
  }

  /** Charges {@code amount} to the running window and lets go {@code unheld} of what is held. */
  Taken charge(long amount, long unheld, long now);

  /** What is owed at {@code now}. */
  Balance balance(long now);

  /** What is to be remembered of it, oldest first; what is held is charged. */
  default List<Cell> cells(long now) {
    return List.of();
  }

  /** This limit with another spec, keeping what is owed. */
  State become(LimitSpec next, long now);

  /** A successor and the receipt that belongs to it. */
  record Taken(State next, Answer.Receipt receipt) {}

  /** The first state of a limit that starts with something owed. */
  static State of(LimitSpec spec, Balance owed, long now) {
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> new UnlimitedState(unlimited);
      case LimitSpec.Strict strict -> StrictState.fresh(strict, now);
      case LimitSpec.TokenBucket bucket -> TokenBucketState.starting(bucket, owed, now);
      case LimitSpec.SlidingWindow window -> SlidingWindowState.starting(window, owed, now);
      case LimitSpec.FixedWindow window -> FixedWindowState.starting(window, owed, now);
      case LimitSpec.TrailingWindow window -> TrailingWindowState.starting(window, owed, now);
      case LimitSpec.Concurrency concurrency -> new ConcurrencyState(concurrency, owed.held());
      case LimitSpec.Day day -> DayState.starting(day, owed, now);
    };
  }
}
