package io.penstock.shares;

/**
 * The times of the protocol, in nanoseconds.
 *
 * @param leaseNanos for how long a share holds without an answer of the store
 * @param beatNanos the time from one beat to the next
 * @param timeoutNanos after this time, an answer is not waited for any longer
 * @param callNanos the least time from one call about a limit to the next
 * @param graceNanos for how long newcomers wait at a store that nobody remembers
 * @param continues whether a share is spent on after the lease, while the store is away
 */
public record ShareTerms(
    long leaseNanos,
    long beatNanos,
    long timeoutNanos,
    long callNanos,
    long graceNanos,
    boolean continues) {
  private static final long DRIFT_PARTS = 1_000;

  /** Returns a watched time that is at least {@code nanos} on the clock of any instance. */
  public static long watched(long nanos) {
    return nanos + nanos / DRIFT_PARTS + 50_000_000;
  }
}
