package io.penstock.store;

import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The files of saved state: {@code *.yaml}, or {@code *.db} for SQLite. */
public final class StateFiles {
  /** The window of limits per minute; those of models have columns of their own. */
  private static final long MINUTE_NANOS = 60_000_000_000L;

  private StateFiles() {}

  /**
   * Returns the store for a file name, without opening it.
   *
   * @throws IOException if the name has neither extension
   */
  public static SnapshotStore of(Path file) throws IOException {
    return of(file, MINUTE_NANOS);
  }

  /**
   * Returns the store for a file name, without opening it.
   *
   * @param minuteNanos the window of limits per minute, which is shorter in tests
   */
  public static SnapshotStore of(Path file, long minuteNanos) throws IOException {
    if (named(file, ".yaml") || named(file, ".yml")) {
      return new YamlSnapshots(file, minuteNanos);
    }
    if (named(file, ".db")) {
      return new SqliteSnapshots(file, minuteNanos);
    }
    throw new IOException(file + ": expected a name that ends in .yaml or .db");
  }

  /**
   * Copies the first file, which is YAML, to the second, which is SQLite and is empty or has the
   * same content.
   *
   * @return a description of the result, for a person
   * @throws IOException if it is impossible; neither file is changed then. The message is one line
   */
  public static String migrate(Path from, Path to) throws IOException {
    if (!named(from, ".yaml") && !named(from, ".yml")) {
      throw new IOException(from + ": expected a file that ends in .yaml to migrate from");
    }
    if (!named(to, ".db")) {
      throw new IOException(to + ": expected a file that ends in .db to migrate to");
    }
    if (!Files.exists(from)) {
      throw new IOException(from + ": there is no such file");
    }
    try (SnapshotStore yaml = of(from);
        SnapshotStore sqlite = of(to)) {
      Snapshot state = yaml.load();
      Snapshot there = sqlite.load();
      if (!there.equals(Snapshot.EMPTY) && !there.equals(state)) {
        throw new IOException(to + ": holds another state already, expected none: move it away");
      }
      boolean same = there.equals(state) && Files.exists(to);
      if (!same) {
        sqlite.save(state);
      }
      return "%s: %d limits, %d rows of usage, %d overrides%s"
          .formatted(
              to,
              state.spent().size(),
              state.usage().size(),
              state.overrides().size(),
              same ? ", all there already" : "");
    }
  }

  private static boolean named(Path file, String ending) {
    return file.toString().toLowerCase(Locale.ROOT).endsWith(ending);
  }

  /** Returns an exception that describes a problem with a file in one line. */
  static IOException problem(Path file, Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    boolean bare = cause.getMessage() == null || message.equals(file.toString());
    String what = bare ? cause.getClass().getSimpleName() : message.replaceAll("\\s+", " ");
    return new IOException(file + ": " + what, cause);
  }
}
