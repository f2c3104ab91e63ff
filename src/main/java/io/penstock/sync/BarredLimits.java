package io.penstock.sync;

import java.util.HashSet;
import java.util.Set;

/**
 * The limits that are granted nothing because what was spent of them may have been lost. Belongs to
 * one thread at a time.
 */
final class BarredLimits {
  private final Set<SharedLimit> limits = new HashSet<>();

  /** Takes note of what the store said of a limit. */
  void heard(SharedLimit limit, long shared) {
    if (limit.isBarred(shared)) {
      limits.add(limit);
    }
  }

  void forget(SharedLimit limit) {
    limits.remove(limit);
  }

  /** Returns how many there are. */
  int count(long shared) {
    limits.removeIf(limit -> !limit.isBarred(shared));
    return limits.size();
  }
}
