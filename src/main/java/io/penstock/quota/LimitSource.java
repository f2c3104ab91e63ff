package io.penstock.quota;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;

/** Where every limit comes from. Safe from any thread. */
public interface LimitSource {
  /** Returns the limit of that id, made if it is new and given {@code spec} if it is not. */
  Limit limit(LimitId id, LimitSpec spec, long now);

  /**
   * Gives a limit another id of the same measure, as when the length of its window changes: what is
   * charged, owed and held stays. Without a limit under {@code from} it is {@link #limit}.
   */
  Limit change(LimitId from, LimitId to, LimitSpec spec, long now);

  /** Forgets a limit that nobody will ask for again. */
  void forget(LimitId id);
}
