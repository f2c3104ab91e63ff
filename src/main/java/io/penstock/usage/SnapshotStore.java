package io.penstock.usage;

import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Store that keeps usage and limits across a restart. Used by one thread at a time, which may block
 * on the disk: never a thread that requests need.
 */
public interface SnapshotStore extends AutoCloseable {
  /**
   * Replaces the saved snapshot, atomically, and returns once the new one is on the disk.
   *
   * @throws IOException when it cannot be saved: the snapshot saved before is still there, intact.
   *     The message is one line that names the file.
   */
  void save(Snapshot snapshot) throws IOException;

  /**
   * Returns the snapshot saved last, {@link Snapshot#EMPTY} when none was saved.
   *
   * @throws IOException when the snapshot cannot be read; it is left untouched. The message is one
   *     line that names the file and, where it has lines, the line.
   */
  Snapshot load() throws IOException;

  @Override
  void close();

  /**
   * Saved state of one moment.
   *
   * @param overrides limits set by operators, by model
   * @param spent charges by limit, for the limits that had any
   * @param usage rows of usage, no two of the same day, key, group and model
   */
  record Snapshot(
      Map<String, ModelLimits> overrides,
      Map<LimitId, List<Spent>> spent,
      List<UsageLedger.Row> usage) {
    /** The snapshot when nothing was ever saved. */
    public static final Snapshot EMPTY = new Snapshot(Map.of(), Map.of(), List.of());

    public Snapshot {
      overrides = Map.copyOf(overrides);
      spent = Map.copyOf(spent);
      usage = List.copyOf(usage);
    }
  }

  /**
   * A {@link io.penstock.limit.ChargedCell} in wall-clock time.
   *
   * @param unixNanos nanoseconds since the Unix epoch, ≥ 0
   * @param amount the amount in the measure of the limit, &gt; 0
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
