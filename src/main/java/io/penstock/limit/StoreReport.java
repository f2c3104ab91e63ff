package io.penstock.limit;

/**
 * The last report of the store about a shared limit.
 *
 * @param capacity the lowest capacity that any instance has for it
 * @param denied the least amount that is known to be unavailable to all instances now; {@link
 *     Long#MAX_VALUE} when nothing is known
 * @param heardNanos when the report came: slices that may be spent at once began no sooner
 * @param untilNanos until when {@code denied} and {@code barred} are valid
 * @param barred whether nothing is granted now because the record of spending may have been lost
 * @param remaining the part of the running cell that no instance had when the report came, ≥ 0
 * @param leftUntilNanos when the whole limit is left again: from then on nothing is known
 */
public record StoreReport(
    long capacity,
    long denied,
    long heardNanos,
    long untilNanos,
    boolean barred,
    long remaining,
    long leftUntilNanos) {
  /** No report came. */
  public static final StoreReport NOTHING =
      new StoreReport(Long.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE / 2, 0);

  /** Creates a report without a loss, and without knowledge of what is left. */
  public StoreReport(long capacity, long denied, long heardNanos, long untilNanos) {
    this(capacity, denied, heardNanos, untilNanos, false, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  boolean bars(long now) {
    return barred && now < untilNanos;
  }

  boolean denies(long amount, long now) {
    return amount >= denied && now < untilNanos;
  }

  /** Returns whether the amount left is still known. */
  boolean knowsRemaining(long now) {
    return now < leftUntilNanos;
  }

  /** Returns what is left of a bucket of that capacity: it fills evenly until it is full. */
  long remainingInBucket(long capacity, long now) {
    double part = (double) (now - heardNanos) / Math.max(1, leftUntilNanos - heardNanos);
    return remaining + (long) (Math.max(0, capacity - remaining) * Math.clamp(part, 0, 1));
  }
}
