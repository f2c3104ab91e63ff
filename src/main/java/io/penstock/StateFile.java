package io.penstock;

import io.penstock.settings.CannotStart;
import io.penstock.settings.PenstockSettings;
import io.penstock.store.StateFiles;
import io.penstock.usage.MemorySnapshotStore;
import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Snapshot;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The file that keeps state over restarts, and its content at the start.
 *
 * @param file path of the file; null when no state is kept
 * @param every how often it is saved
 * @param store reads and writes it
 * @param before its content at the start
 */
record StateFile(@Nullable String file, Duration every, SnapshotStore store, Snapshot before) {
  /**
   * Opens the file that {@code penstock.state.file} names.
   *
   * @param minute the window of limits per minute: shorter in tests
   * @throws CannotStart when it cannot be read or written; it is left as it is
   */
  static StateFile open(PenstockSettings.State settings, Duration minute) {
    String name = settings.file();
    Duration every = settings.interval();
    if (name == null) {
      return new StateFile(null, every, new MemorySnapshotStore(), Snapshot.EMPTY);
    }
    try {
      SnapshotStore store = StateFiles.of(Path.of(name), minute.toNanos());
      Snapshot before = store.load();
      store.save(before); // if it cannot be written now, it could not later
      return new StateFile(name, every, store, before);
    } catch (IOException | InvalidPathException e) {
      throw new CannotStart("penstock.state.file: " + e.getMessage());
    }
  }
}
