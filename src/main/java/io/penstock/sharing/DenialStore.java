package io.penstock.sharing;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Store through which regions inform each other of denials, so that a limit denied in one region is
 * known in the others. Safe from any thread; both calls return at once.
 *
 * <p>The first denial of a cell counts; later ones of the same region for the same cell change
 * nothing. A denial that came from another region is never published again.
 *
 * <p>When a stage completes exceptionally, or never, the call may still have been applied. The
 * caller drops the denials it wanted to publish, or reads again later from its cursor. No decision
 * waits for either call.
 */
public interface DenialStore {
  /** Publishes denials of one region. */
  CompletionStage<Void> publish(String region, List<Denial> denials);

  /**
   * Reads the denials of all other regions that were published after a cursor and have not expired.
   * A denial may be returned twice; none is left out.
   *
   * @param region the reading region; its own denials are left out
   * @param cursor cursor of the last page, or {@link Page#START}
   */
  CompletionStage<Page> since(String region, long cursor);

  /**
   * Denials and the cursor from which to read on.
   *
   * @param denials in no particular order
   * @param cursor where to read on; it has no meaning outside this store
   */
  record Page(List<Denial> denials, long cursor) {
    /** The cursor before all denials. */
    public static final long START = 0;

    public Page {
      denials = List.copyOf(denials);
    }
  }

  /**
   * Denial by a limit in one cell.
   *
   * @param namespace the kind of limit, such as {@code key-rpm}, not blank
   * @param identifier owner of the limit, such as the name of the key, not blank
   * @param durationMillis the length of the cell, ≥ 1
   * @param sequence number of the cell: floor(Unix milliseconds ÷ duration), ≥ 0
   * @param limit the amount that was reached, in the measure of the limit, ≥ 1: at least this much
   *     was used
   */
  record Denial(
      String namespace, String identifier, long durationMillis, long sequence, long limit) {
    public Denial {
      if (namespace.isBlank() || identifier.isBlank()) {
        throw new IllegalArgumentException(
            "denial is of [%s] [%s], expected neither blank".formatted(namespace, identifier));
      }
      if (durationMillis < 1 || sequence < 0 || limit < 1) {
        throw new IllegalArgumentException(
            "denial is of %d ms, cell %d, limit %d, expected at least 1, 0 and 1"
                .formatted(durationMillis, sequence, limit));
      }
    }
  }
}
