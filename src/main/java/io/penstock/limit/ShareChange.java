package io.penstock.limit;

/**
 * Change of the share that a limit is held to.
 *
 * @param amount the new share, ≥ 0
 * @param later the share in a later day
 * @param laterNanos when that day begins; {@link io.penstock.time.Ticker#NEVER} for limits without
 *     days
 * @param gridNanos when one of the fixed windows begins; {@code NEVER} for other kinds
 * @param raises whether the share may become larger than it is
 */
public record ShareChange(
    long amount, long later, long laterNanos, long gridNanos, boolean raises) {
  HeldShare of(HeldShare share, LocalState local, long now) {
    long next = raises ? amount : Math.min(amount, share.amount(local, now));
    long nextLater = raises ? later : Math.min(later, Math.min(share.later(), next));
    return share.of(next, nextLater, laterNanos, gridNanos);
  }
}
