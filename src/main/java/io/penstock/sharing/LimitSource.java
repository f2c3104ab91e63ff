package io.penstock.sharing;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;

/** Source of all limits. Safe from any thread. */
public interface LimitSource {
  /** Returns the limit with an id: a new one, or the existing one changed to {@code spec}. */
  Limit limit(LimitId id, LimitSpec spec, long now);

  /**
   * Gives a limit another id of the same measure, for example when the length of its window
   * changes. Charges, debt and reservations stay. Without a limit under {@code from} this is the
   * same as {@link #limit}.
   */
  Limit change(LimitId from, LimitId to, LimitSpec spec, long now);

  /** Forgets a limit that is no longer used. */
  void forget(LimitId id);
}
