package io.penstock.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a {@link LimitState} that one algorithm computes from what passed on this instance. Each
 * method computes a value or a successor from this state and an instant. States are immutable,
 * except that an {@link OpenWindow} changes in place until it is frozen.
 *
 * <p>Instants passed to one limit may be slightly out of order, because threads race. A state
 * treats an instant before its own as its own.
 */
interface LocalState {
  /** Returns an unchanging form of this state: itself, or a frozen copy of an open window. */
  default LocalState frozen() {
    return this;
  }

  LimitSpec spec();

  /** Returns the largest amount that could ever be admitted at once. */
  default long capacity() {
    return spec().capacity();
  }

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

  /** Returns the amount that would be admitted now, ignoring the pace, ≥ 0. */
  long room(long now);

  /** Returns this state without debt: what passed in excess counts in its window only. */
  default LocalState withoutDebt() {
    return this;
  }

  /**
   * Returns the instant from which the pace lets {@code amount} pass; at or before now when it
   * does.
   */
  default long paceAllowsAt(long amount, long now) {
    return now;
  }

  /** Returns the instant at which {@code amount} ≤ capacity has room if nothing else happens. */
  long roomFreeAt(long amount, long now);

  /** Takes an amount that was found to be admitted now. */
  Taken take(long taken, long reserved, long now);

  /**
   * Gives back what was taken and never used. A charge is given back only if its cell still counts.
   */
  LocalState giveBack(long cell, long taken, long reserved, long now);

  /** Gives back part or all of a receipt. */
  default LocalState giveBack(LimitAnswer.Receipt receipt, long taken, long reserved, long now) {
    return giveBack(receipt.cell(), taken, reserved, now);
  }

  /**
   * Charges {@code amount} to the running window and releases {@code released} of the reserved
   * output.
   */
  Taken charge(long amount, long released, long now);

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
  default @Nullable LocalState withSpec(LimitSpec next, long now) {
    return null;
  }

  /** A successor and the receipt that belongs to it. */
  record Taken(LocalState next, LimitAnswer.Receipt receipt) {}
}
