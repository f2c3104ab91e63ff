package io.penstock.config;

import java.util.List;

/**
 * Reads the route files again and applies them in one swap. Whoever wants a reload, an operator or
 * the file watcher, only calls this.
 *
 * <p>Implementations are safe to call from any thread, run one reload at a time, and keep the
 * running configuration when the new one has a fault.
 */
@FunctionalInterface
public interface Reloader {
  /** Reloads and says what came of it; may block on files, so never call it on an event loop. */
  Result reload();

  /** What came of a reload. */
  sealed interface Result {
    /**
     * The new configuration runs.
     *
     * @param endpoints how many endpoints it has
     * @param warnings as in {@link Snapshot#warnings()}
     */
    record Applied(int endpoints, List<String> warnings) implements Result {
      public Applied {
        warnings = List.copyOf(warnings);
      }
    }

    /** The running configuration was kept. */
    record Refused(List<Fault> faults) implements Result {
      public Refused {
        faults = List.copyOf(faults);
      }
    }
  }
}
