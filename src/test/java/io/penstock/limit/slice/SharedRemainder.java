package io.penstock.limit.slice;

/**
 * The part of a shared limit that no member has: what is left of the running cell over all members.
 *
 * @param amount ≥ 0; slices that members have and may still spend are not in it
 * @param fullMicros when the whole limit is left again, by the shared clock; the instant asked for
 *     when it is whole, and when nobody knows
 */
public record SharedRemainder(long amount, long fullMicros) {
  /** The remainder in the answer to a late round. */
  static final SharedRemainder NONE = new SharedRemainder(0, 0);
}
