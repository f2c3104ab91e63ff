package io.penstock.quota;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Keeps what was spent over a restart. Used by one thread at a time, which may wait for a disk:
 * never one that a request needs.
 */
public interface Snapshots extends AutoCloseable {
  /**
   * Replaces what was saved before, all of it or nothing, and returns once it is on the disk.
   *
   * @throws IOException when it cannot be: what was saved before is still there, whole. The message
   *     is one line that names the file.
   */
  void save(Snapshot snapshot) throws IOException;

  /**
   * Returns what was saved last, {@link Snapshot#EMPTY} when nothing was.
   *
   * @throws IOException when what is there cannot be read; it is left untouched. The message is one
   *     line that names the file and, where it has lines, the line.
   */
  Snapshot load() throws IOException;

  @Override
  void close();

  /**
   * What is remembered of one moment.
   *
   * @param overrides what an operator said models may be asked, by model
   * @param spent by limit, of those that owed anything
   * @param usage what was used, no two rows of the same day, key, group and model
   */
  record Snapshot(
      Map<String, ModelLimits> overrides, Map<LimitId, List<Spent>> spent, List<Ledger.Row> usage) {
    /** Nothing was ever saved. */
    public static final Snapshot EMPTY = new Snapshot(Map.of(), Map.of(), List.of());

    public Snapshot {
      overrides = Map.copyOf(overrides);
      spent = Map.copyOf(spent);
      usage = List.copyOf(usage);
    }
  }

  /**
   * A {@link io.penstock.limit.Cell} in wall time.
   *
   * @param unixNanos nanoseconds since the Unix epoch, ≥ 0
   * @param amount in the limit's measure, &gt; 0
   */
  record Spent(long unixNanos, long amount) {
    public Spent {
      if (unixNanos < 0 || amount <= 0) {
        throw new IllegalArgumentException(
            "%d was charged at %d, expected more than 0, and an instant from 0"
                .formatted(amount, unixNanos));
      }
    }
  }
}
