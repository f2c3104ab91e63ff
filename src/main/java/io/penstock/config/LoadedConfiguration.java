package io.penstock.config;

import java.util.List;

/** The result of reading route files. */
public sealed interface LoadedConfiguration {
  /** All files are usable. */
  record Good(ConfigurationSnapshot snapshot) implements LoadedConfiguration {}

  /**
   * A file has a fault, so nothing is used.
   *
   * @param faults at least one, sorted by file, line and column
   */
  record Bad(List<ConfigurationFault> faults) implements LoadedConfiguration {
    public Bad {
      faults = List.copyOf(faults);
      if (faults.isEmpty()) {
        throw new IllegalArgumentException("faults is empty, expected at least one");
      }
    }
  }
}
