package io.penstock.limit;

/** Determines whether a limit is kept shut because nobody can know all that was spent of it. */
public final class LostSpending {
  private LostSpending() {}

  /**
   * Returns whether {@code amount} of a shared limit, which this instance has not used up itself,
   * is not granted now because the store lost data, and an instance that may have spent of the
   * limit can no longer report how much. Safe from any thread.
   */
  public static boolean isBarred(Limit limit, long amount, long now) {
    return limit.state().isBarred(amount, now);
  }
}
