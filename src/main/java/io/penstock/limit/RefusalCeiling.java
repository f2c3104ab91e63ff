package io.penstock.limit;

import org.jspecify.annotations.Nullable;

/**
 * Ceiling of a trailing window that was learned from refusals of a provider that names no limits.
 *
 * <p>The ceiling is held for a number of windows. Then it rises in steps of two windows each, first
 * by a twentieth of the configured capacity, each further step by twice as much, until it is the
 * configured capacity. A rise is a probe: if the provider refuses again, the ceiling goes back to
 * the last step that was not refused, and is held for twice as long, up to {@value #MOST_HOLDS}
 * windows. A single refusal after a quiet time may have any reason, so it lowers the ceiling for
 * one window only, and by at most one half.
 *
 * @param capacity the amount in force in a window, ≥ 1 and at most the configured capacity
 * @param proven the amount of the last step that was not refused
 * @param failures the number of refusals that made the hold longer, ≥ 1
 * @param step 0 while the ceiling is held, then the number of the rise
 * @param sinceNanos when the last refusal came
 */
record RefusalCeiling(long capacity, long proven, int failures, int step, long sinceNanos) {
  /** The most windows for which a ceiling is held. */
  static final int MOST_HOLDS = 16;

  /** How many windows a step lasts: within one, even a provider with fixed windows refuses. */
  private static final int STEP_WINDOWS = 2;

  /** The part of the configured capacity by which the first step rises. */
  private static final double FIRST_RISE = 0.05;

  /** The part of the ceiling that is left after a refusal that nothing else explains. */
  private static final double CUT = 0.97;

  /** Returns whether a rise is being tried. */
  boolean probes() {
    return step > 0;
  }

  /**
   * Returns the ceiling after a refusal.
   *
   * @param before the ceiling at that time; null when there is none
   * @param inForce the capacity at that time
   * @param passed the amount that passed in the window before the refusal
   */
  static RefusalCeiling lowered(
      @Nullable RefusalCeiling before, long inForce, long passed, long now) {
    if (before != null && before.probes()) {
      return held(before.proven, before.failures + 1, now);
    }
    long cut = Math.min(inForce - 1, (long) (CUT * inForce));
    long least = Math.max(passed, inForce / 2);
    return held(Math.min(cut, least), before == null ? 1 : Math.max(2, before.failures), now);
  }

  private static RefusalCeiling held(long capacity, int failures, long now) {
    long amount = Math.max(1, capacity);
    return new RefusalCeiling(amount, amount, failures, 0, now);
  }

  /** Returns how many windows it is in force before the next step. */
  int windows() {
    return step > 0 ? STEP_WINDOWS : Math.min(MOST_HOLDS, 1 << Math.min(failures - 1, 10));
  }

  /**
   * Returns the next step, or null when the ceiling was at the configured capacity for a whole
   * step, and is forgotten.
   */
  @Nullable RefusalCeiling next(long configured) {
    if (capacity >= configured) {
      return null;
    }
    double rise = Math.max(1, FIRST_RISE * configured) * (1L << Math.min(step, 30));
    long higher =
        failures == 1 ? configured : (long) Math.min((double) configured, capacity + rise);
    return new RefusalCeiling(higher, capacity, failures, step + 1, sinceNanos);
  }
}
