package io.penstock.sharing;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Store through which instances exchange what they counted, after the fact. Safe from any thread;
 * {@link #exchange} returns at once.
 *
 * <p>Counts are absolute and a writer's count of a cell only grows, so the larger of two different
 * counts is the newer one. Merging takes the maximum, and the next exchange repairs what was lost,
 * repeated or late. The number of a cell is floor(Unix time ÷ duration of the limit). A cell is
 * kept until the end of the next cell.
 *
 * <p>When the stage completes exceptionally, or never, the exchange may still have been applied.
 * The caller goes on with the last counts of other writers that it knows, and sends its own again
 * next time.
 */
public interface CountStore {
  /**
   * Publishes the counts of a writer and reads those of all other writers.
   *
   * @param writer name of the writer, constant for as long as its counts live; the result never
   *     contains its own counts
   * @param own counts of the writer; cells that have not changed may be left out
   * @return for each limit and cell that any other writer counted, the sum over all other writers
   */
  CompletionStage<List<Count>> exchange(String writer, List<Count> own);

  /**
   * Count of one limit in one cell.
   *
   * @param id the limit; its duration is that of the cell, at least 1 ms
   * @param cell floor(Unix time ÷ duration)
   * @param amount in the limit's measure, ≥ 0
   */
  record Count(LimitId id, long cell, long amount) {
    public Count {
      if (id.durationNanos() < 1_000_000 || amount < 0) {
        throw new IllegalArgumentException(
            "count of %s is %d, expected a limit with a window and 0 or more"
                .formatted(id, amount));
      }
    }

    /**
     * Returns the Unix time in milliseconds from which the count is useless: the end of the next
     * cell.
     */
    public long expiresAtMillis() {
      return (cell + 2) * (id.durationNanos() / 1_000_000);
    }
  }
}
