package io.penstock.quota;

import io.penstock.limit.Balance;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Keeps what limits owe over a restart. Safe from any thread; both calls return at once.
 *
 * <p>When {@link #save} completes exceptionally, what was saved before is still there, whole; the
 * caller reports it and saves again at its next turn. When {@link #load} does, what is there cannot
 * be read: the caller does not start, and leaves it untouched.
 */
public interface Snapshots {
  /** Replaces what was saved before: all of it, or nothing. */
  CompletionStage<Void> save(Snapshot snapshot);

  /** Returns what was saved last, {@link Snapshot#EMPTY} when nothing was. */
  CompletionStage<Snapshot> load();

  /**
   * What limits owed at one moment.
   *
   * @param takenAtMillis Unix milliseconds of that moment, ≥ 0
   * @param balances by limit, those that owed anything
   */
  record Snapshot(long takenAtMillis, Map<LimitId, Balance> balances) {
    /** Nothing was ever saved. */
    public static final Snapshot EMPTY = new Snapshot(0, Map.of());

    public Snapshot {
      if (takenAtMillis < 0) {
        throw new IllegalArgumentException(
            "takenAtMillis is " + takenAtMillis + ", expected 0 or more");
      }
      balances = Map.copyOf(balances);
    }
  }
}
