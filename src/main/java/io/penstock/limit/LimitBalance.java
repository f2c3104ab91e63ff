package io.penstock.limit;

/**
 * The amounts that a limit owes at an instant.
 *
 * @param charged counts against the running window, ≥ 0
 * @param debt usage that did not fit and is paid by later windows, ≥ 0
 * @param reserved reserved output of running answers, ≥ 0
 */
public record LimitBalance(long charged, long debt, long reserved) {
  /** Nothing is owed. */
  public static final LimitBalance ZERO = new LimitBalance(0, 0, 0);
}
