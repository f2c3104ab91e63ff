package io.penstock.region;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Splits rows into batches of at most {@link #ROWS}, and writes the placeholders of such a batch.
 */
final class RowBatches {
  static final int ROWS = 100;

  private RowBatches() {}

  static <T> List<List<T>> of(List<T> rows) {
    List<List<T>> batches = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += ROWS) {
      batches.add(rows.subList(from, Math.min(rows.size(), from + ROWS)));
    }
    return batches;
  }

  /** Returns {@code (?, …), (?, …)} for the given number of rows and columns. */
  static String places(int rows, int columns) {
    String row = "(" + String.join(", ", Collections.nCopies(columns, "?")) + ")";
    return String.join(", ", Collections.nCopies(rows, row));
  }
}
