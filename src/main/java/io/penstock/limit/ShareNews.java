package io.penstock.limit;

/**
 * What the store said last of a limit that instances share.
 *
 * @param free what no instance has, ≥ 0
 * @param denied the least amount that could not be had several times in a row; {@link
 *     Long#MAX_VALUE} for none
 * @param heardNanos when the store said so
 * @param isAway whether the store has not answered for longer than a lease
 */
public record ShareNews(long free, long denied, long heardNanos, boolean isAway) {
  /** Nothing was heard. */
  public static final ShareNews NOTHING =
      new ShareNews(0, Long.MAX_VALUE, Long.MIN_VALUE / 2, false);

  /** For how long it is taken to be still true. */
  private static final long VALID_NANOS = 2_000_000_000;

  private boolean isValid(long now) {
    return !isAway && now - heardNanos <= VALID_NANOS;
  }

  /** Returns what no instance has; 0 if that was heard too long ago. */
  long free(long now) {
    return isValid(now) ? free : 0;
  }

  /** Returns whether an amount is known to be unavailable now. */
  boolean denies(long amount, long now) {
    return isValid(now) && amount >= denied;
  }
}
