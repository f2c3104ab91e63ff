package io.penstock.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Version of the program that runs.
 *
 * @param version of the jar; {@code development} where there is none
 * @param commit the id of the commit it was built from; null if it was built without a repository
 * @param commitTime when that commit was made, RFC 3339 in UTC; null if it is unknown
 * @param java the version of the Java that runs it
 */
public record ProgramVersion(
    String version, @Nullable String commit, @Nullable String commitTime, String java) {
  private static final ProgramVersion RUNNING = read();

  /** Returns that of this program. */
  public static ProgramVersion running() {
    return RUNNING;
  }

  private static ProgramVersion read() {
    Properties built = new Properties();
    try (InputStream file = ProgramVersion.class.getResourceAsStream("commit.properties")) {
      if (file != null) {
        built.load(file);
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return new ProgramVersion(
        Objects.requireNonNullElse(
            ProgramVersion.class.getPackage().getImplementationVersion(), "development"),
        built.getProperty("git.commit.id"),
        built.getProperty("git.commit.time"),
        System.getProperty("java.version"));
  }

  /** Returns the program, its Java and, where it is known, its commit in one line. */
  public String text() {
    return "penstock %s (Java %s)%s%s"
        .formatted(
            version,
            java,
            commit == null ? "" : ", commit " + commit,
            commit == null || commitTime == null ? "" : " of " + commitTime);
  }
}
