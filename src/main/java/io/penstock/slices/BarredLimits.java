package io.penstock.slices;

import java.util.HashSet;
import java.util.Set;

/**
 * Limits that grant nothing because some of their spending may have been lost. Used by one thread
 * at a time.
 */
final class BarredLimits {
  private final Set<SharedLimit> limits = new HashSet<>();

  /** Records the state of a limit as the store answered it. */
  void heard(SharedLimit limit, long shared) {
    if (limit.isBarred(shared)) {
      limits.add(limit);
    }
  }

  void forget(SharedLimit limit) {
    limits.remove(limit);
  }

  /** Returns the number of barred limits. */
  int count(long shared) {
    limits.removeIf(limit -> !limit.isBarred(shared));
    return limits.size();
  }
}
