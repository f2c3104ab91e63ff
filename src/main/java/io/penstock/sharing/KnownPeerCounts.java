package io.penstock.sharing;

/** Counts of other instances, as far as they are known here. Safe from any thread. */
@FunctionalInterface
public interface KnownPeerCounts {
  /** No other instances. */
  KnownPeerCounts NONE = (id, now) -> 0;

  /**
   * Returns what all other instances counted of a limit in the window that ends at {@code now}, in
   * the measure of the limit; 0 when nothing is known.
   */
  long counted(LimitId id, long now);
}
