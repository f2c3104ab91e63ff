package io.penstock.limit;

/**
 * What a provider said of a limit with its answer to one request. The request's release is the
 * instant it is taken to hold for: what was taken later is not in it.
 *
 * @param mark of the request's receipt
 * @param atNanos when the request was let go
 * @param limit what the provider allows in a window, &gt; 0, or {@link #UNSAID}
 * @param remaining what was left, ≥ 0, or {@link #UNSAID}
 * @param resetNanos in how long from now it is whole again, ≥ 0, or {@link #UNSAID}: then what is
 *     left teaches nothing, because nobody knows for how long
 */
public record Notice(long mark, long atNanos, long limit, long remaining, long resetNanos) {
  /** Nothing is said. */
  public static final long UNSAID = -1;

  boolean statesLimit() {
    return limit > 0;
  }

  boolean statesRemaining() {
    return remaining >= 0 && resetNanos >= 0;
  }
}
