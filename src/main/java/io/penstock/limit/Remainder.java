package io.penstock.limit;

/**
 * The part of a shared limit that no member has: what is left of the running cell, over all of
 * them.
 *
 * @param amount ≥ 0; slices that members have and may still spend are not in it
 * @param fullMicros when the whole limit is left again, by the shared clock; the instant asked for
 *     when it is, and where nobody knows
 */
public record Remainder(long amount, long fullMicros) {
  /** What is known of a limit that a member asked too late. */
  static final Remainder NONE = new Remainder(0, 0);
}
