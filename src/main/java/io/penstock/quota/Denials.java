package io.penstock.quota;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Tells other regions that a limit said no, so that they need not find out for themselves. Safe
 * from any thread; both calls return at once.
 *
 * <p>The first denial of a cell counts; later ones of the same region for the same cell change
 * nothing. A denial that came from elsewhere is never published again.
 *
 * <p>When a stage completes exceptionally, or never, the call may have been applied. The caller
 * drops what it wanted to publish, or reads again later from the cursor it has: no decision waits
 * for either.
 */
public interface Denials {
  /** Publishes denials of one region. */
  CompletionStage<Void> publish(String region, List<Denial> denials);

  /**
   * Reads the denials of all other regions that came after a cursor and have not expired. One may
   * come twice, none is left out.
   *
   * @param region who reads; its own are left out
   * @param cursor of the page read last, or {@link Page#START}
   */
  CompletionStage<Page> since(String region, long cursor);

  /**
   * Denials, and where to read on.
   *
   * @param denials in no order
   * @param cursor to read on from, with no meaning outside this store
   */
  record Page(List<Denial> denials, long cursor) {
    /** The cursor before all denials. */
    public static final long START = 0;

    public Page {
      denials = List.copyOf(denials);
    }
  }

  /**
   * A limit that said no in one cell.
   *
   * @param namespace the kind of limit, such as {@code key-rpm}, not blank
   * @param identifier whose limit it is, such as the name of the key, not blank
   * @param durationMillis the length of the cell, ≥ 1
   * @param sequence which cell: floor(Unix milliseconds ÷ duration), ≥ 0
   * @param limit the limit that was reached, in its measure, ≥ 1: at least so much was used
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

    /** Returns the Unix milliseconds from which it is of no use: the cell after it ended. */
    public long expiresAtMillis() {
      return (sequence + 2) * durationMillis;
    }
  }
}
