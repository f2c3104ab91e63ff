package io.penstock.quota;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Tells the others what was counted here, and here what the others counted, after the fact. Safe
 * from any thread; {@link #exchange} returns at once.
 *
 * <p>Counts are absolute and a writer's count of a cell only grows, so that of two that differ the
 * larger is the newer one: merging is taking the maximum, and what is lost, repeated or late heals
 * with the next exchange. Cells are numbered floor(Unix time ÷ the limit's duration), and are kept
 * until the end of the cell after them.
 *
 * <p>When the stage completes exceptionally, or never, the exchange may have been applied. The
 * caller goes on with the last counts of others it knows and sends its own again the next time.
 */
public interface Counts {
  /**
   * Publishes own counts and reads those of all others.
   *
   * @param writer who counts, the same for as long as its counts are; its own are never among those
   *     it reads
   * @param own what it counted; cells without news may be left out
   * @return for each limit and cell that anyone else counted, the sum over all others
   */
  CompletionStage<List<Count>> exchange(String writer, List<Count> own);

  /**
   * What was counted of a limit in one cell.
   *
   * @param id the limit; its duration is the cell's, and is at least 1 ms
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

    /** Returns the Unix milliseconds from which the count is of no use: the cell after it ended. */
    public long expiresAtMillis() {
      return (cell + 2) * (id.durationNanos() / 1_000_000);
    }
  }
}
