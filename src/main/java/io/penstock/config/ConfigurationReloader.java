package io.penstock.config;

import java.util.List;

/**
 * Reads the route files again and applies them in one swap. Both operators and the file watcher
 * reload through this.
 *
 * <p>Implementations are safe to call from any thread, run one reload at a time, and keep the
 * running configuration if the new one has a fault.
 */
@FunctionalInterface
public interface ConfigurationReloader {
  /** Reloads and returns the result. May block on files, so never call it on an event loop. */
  Result reload();

  /**
   * Returns the faults because of which the files on disk do not run: those of the last reload, if
   * it was refused. Empty while what runs is what was read last.
   */
  default List<ConfigurationFault> standingFaults() {
    return List.of();
  }

  /** The result of a reload. */
  sealed interface Result {
    /**
     * The new configuration runs.
     *
     * @param endpoints its number of endpoints
     * @param warnings as in {@link ConfigurationSnapshot#warnings()}
     */
    record Applied(int endpoints, List<String> warnings) implements Result {
      public Applied {
        warnings = List.copyOf(warnings);
      }
    }

    /** The running configuration was kept. */
    record Refused(List<ConfigurationFault> faults) implements Result {
      public Refused {
        faults = List.copyOf(faults);
      }
    }
  }
}
