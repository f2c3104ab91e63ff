package io.penstock.quota;

/** What other instances counted of limits, as far as it is known here. Safe from any thread. */
@FunctionalInterface
public interface Others {
  /** There are no others. */
  Others NONE = (id, now) -> 0;

  /**
   * Returns what all others counted of a limit in the window that ends at {@code now}, in the
   * limit's measure: 0 when nothing is known of them.
   */
  long counted(LimitId id, long now);
}
