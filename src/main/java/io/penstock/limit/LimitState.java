package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One immutable state of a limit. Each method computes a value or a successor from this state and
 * an instant. {@link OpenWindow} is the exception: it changes in place until it is frozen.
 *
 * <p>Instants passed to one limit may be slightly out of order, because threads race. A state
 * treats an instant before its own as its own.
 */
interface LimitState {
  /** Returns an unchanging form of this state: itself, or a frozen copy of an open window. */
  default LimitState frozen() {
    return this;
  }

  /**
   * Returns the form in which a limit keeps this state: itself, or an equal one that changes in
   * place.
   */
  default LimitState storedForm() {
    return this;
  }

  LimitSpec spec();

  /** Returns the largest amount that could ever be admitted at once. */
  long capacity();

  /**
   * Returns the largest amount that could be admitted at once while the last statement of the
   * provider is in force.
   */
  default long capacity(long now) {
    return capacity();
  }

  /**
   * Returns the instant from which the limit is completely free if nothing else happens on this
   * instance, ignoring the pace.
   */
  default long fullyFreeAt(long now) {
    return roomFreeAt(capacity(now), now);
  }

  /**
   * Returns the instant from which the configured limit is in force; {@code now} when it is
   * already.
   */
  default long restoredAt(long now) {
    return now;
  }

  /** Returns the state after a provider's statement. Only trailing windows take such statements. */
  default LimitState withNotice(ProviderNotice notice, long now) {
    return this;
  }

  /** Returns the amount that would be admitted now, ignoring the pace, ≥ 0. */
  long room(long now);

  /**
   * Returns the amount that would be admitted now if only this instance took from the limit,
   * ignoring the pace.
   */
  default long localRoom(long now) {
    return room(now);
  }

  /**
   * Returns what is left of the limit for all that spend it, as far as is known, and when it is
   * whole.
   */
  default LimitRemainder remainder(long now) {
    return new LimitRemainder(room(now), fullyFreeAt(now));
  }

  /**
   * Returns this state without what other regions count: itself, unless regions share the limit.
   */
  default LimitState withoutRegions() {
    return this;
  }

  /** Returns this state with {@code step} applied to what is {@link #withoutRegions}. */
  default LimitState changeWithoutRegions(UnaryOperator<LimitState> step) {
    return step.apply(this);
  }

  /** Returns this state as it is apart from an outage: itself, unless it is cut off from others. */
  default LimitState withoutOutage() {
    return this;
  }

  /** Returns this state with another one in the place of {@link #withoutOutage}. */
  default LimitState replaceWithoutOutage(LimitState next) {
    return next;
  }

  /** Returns this state when others no longer spend the limit. */
  default LimitState unshared(long now) {
    return this;
  }

  /** Returns this state when others no longer count the limit. */
  default LimitState uncounted() {
    return this;
  }

  /** Returns the demand of waiters for what other instances leave, or null. */
  default @Nullable SliceDemand demand() {
    return null;
  }

  /** Returns this state without debt: what passed in excess counts in its window only. */
  default LimitState withoutDebt() {
    return this;
  }

  /**
   * Returns this state with its window widened by {@code nanos} beyond the guard of the spec. Only
   * trailing windows are widened.
   */
  default LimitState widened(long nanos) {
    return this;
  }

  /**
   * Returns whether any amount may pass sooner than in another state. Comparing the smallest and
   * the largest amount is enough, because the wait grows linearly in between.
   */
  default boolean soonerThan(LimitState before, long now) {
    return room(now) > before.room(now)
        || admittedAt(1, now) < before.admittedAt(1, now)
        || admittedAt(capacity(now), now) < before.admittedAt(before.capacity(now), now);
  }

  /** Returns what the provider stated last, or null. */
  default @Nullable LearnedLimit learned(long now) {
    return null;
  }

  /** Records that {@code amount} is waited for, if other instances may grant it. */
  default void recordLack(long amount, long now) {}

  /**
   * Returns {@code instant}. When it is later than now, records the demand first, so that the
   * caller is woken if others grant the missing amount sooner.
   */
  default long recordLackUntil(long amount, long instant, long now) {
    if (instant > now) {
      recordLack(amount, now);
    }
    return instant;
  }

  /**
   * Returns the instant from which the pace lets {@code amount} pass; at or before now when it
   * does.
   */
  long paceAllowsAt(long amount, long now);

  /** Returns the instant at which {@code amount} ≤ capacity has room if nothing else happens. */
  long roomFreeAt(long amount, long now);

  /** Returns the instant at which {@code amount} ≤ capacity is admitted if nothing else happens. */
  default long admittedAt(long amount, long now) {
    return Math.max(roomFreeAt(amount, now), paceAllowsAt(amount, now));
  }

  /** Returns whether only slices are lacking, and it is not known yet whether any can be had. */
  default boolean isAwaitingSlices(long amount, long now) {
    return false;
  }

  /**
   * Returns the end of the running window when no instance is known to have enough left in it;
   * otherwise, and for most kinds of limits, {@link Ticker#NEVER}.
   */
  default long windowEndsAt(long amount, long now) {
    return Ticker.NEVER;
  }

  /**
   * Returns how long {@code ahead} and then {@code own} would take to be admitted, in nanoseconds:
   * an estimate for {@code ahead} &gt; 0.
   */
  long forecastNanos(long ahead, long own, long now);

  /** Takes an amount that was found to be admitted now. */
  Taken take(long taken, long held, long now);

  /**
   * Gives back what was taken and never used. A charge is given back only if its cell still counts.
   */
  LimitState giveBack(long cell, long taken, long held, long now);

  /** Gives back part or all of a receipt. */
  default LimitState giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    return giveBack(receipt.cell(), taken, held, now);
  }

  /**
   * Charges {@code amount} to the running window and releases {@code unheld} of the reserved
   * output.
   */
  Taken charge(long amount, long unheld, long now);

  /** Returns what the limit owes at {@code now}. */
  LimitBalance balance(long now);

  /**
   * Returns the charges that must be remembered, oldest first. Reserved output counts as charged.
   */
  default List<ChargedCell> cells(long now) {
    return List.of();
  }

  /**
   * Returns this state with another spec, where what it owes stays; null when a state of that spec
   * has to start with the same {@link #balance}.
   */
  default @Nullable LimitState withSpec(LimitSpec next, long now) {
    return null;
  }

  /** A successor state and the receipt that belongs to it. */
  record Taken(LimitState next, LimitAnswer.Receipt receipt) {}
}
