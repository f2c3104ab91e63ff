package io.penstock.config;

import java.util.List;

/** What came of reading route files. */
public sealed interface Loaded {
  /** Everything is usable. */
  record Good(Snapshot snapshot) implements Loaded {}

  /**
   * Something is not usable, so nothing is.
   *
   * @param faults at least one, sorted by file, line and column
   */
  record Bad(List<Fault> faults) implements Loaded {
    public Bad {
      faults = List.copyOf(faults);
      if (faults.isEmpty()) {
        throw new IllegalArgumentException("faults is empty, expected at least one");
      }
    }
  }
}
