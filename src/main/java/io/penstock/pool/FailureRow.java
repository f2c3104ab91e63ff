package io.penstock.pool;

import org.jspecify.annotations.Nullable;

/**
 * Failures of one kind in a row, and the keys that met them. Those that requests may have provoked
 * count only if two keys met them, or if no other key is active. Its owner synchronizes.
 */
final class FailureRow {
  /** The failures that no request can have provoked. */
  private int own;

  /** The failures that requests may have provoked. */
  private int provoked;

  /** The key of the first of those requests, or null. */
  private @Nullable Object provoker;

  /** Whether another key had such a failure too. */
  private boolean several;

  /** Adds a failure that no request can have provoked. */
  void add() {
    own++;
  }

  /** Adds a failure that a request of a key may have provoked. */
  void add(Object key) {
    several |= provoker != null && !provoker.equals(key);
    provoker = provoker == null ? key : provoker;
    provoked++;
  }

  /** Returns the number of failures that count. */
  int counted(ActiveKeys activeKeys, long now) {
    boolean counts = several || (provoker != null && activeKeys.only(provoker, now));
    return counts ? own + provoked : own;
  }

  /** Returns whether it has no failure. */
  boolean isEmpty() {
    return own == 0 && provoked == 0;
  }

  /** Returns whether two keys met such a failure. */
  boolean isWitnessed() {
    return several;
  }

  /** Returns the key that alone met all of them, or null. */
  @Nullable Object alone() {
    return own == 0 && !several ? provoker : null;
  }

  void forget() {
    own = 0;
    provoked = 0;
    provoker = null;
    several = false;
  }
}
