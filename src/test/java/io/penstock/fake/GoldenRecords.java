package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares the program's behaviour with its records under {@code src/test/golden}.
 *
 * <p>A record is behaviour that a refactoring must not change. {@code mvn verify -Pgolden} writes
 * all records again; {@code git diff} then shows the difference. Tests that use this class have the
 * JUnit tag {@link #TAG}, by which that command selects them.
 */
public final class GoldenRecords {
  /** JUnit tag of the tests that compare with records. */
  public static final String TAG = "golden";

  private static final Path ROOT = Path.of("src/test/golden");
  private static final boolean RECORDS = Boolean.getBoolean("penstock.golden.record");

  private GoldenRecords() {}

  /**
   * Asserts that {@code actual} equals the text of the record, byte for byte; when recording,
   * writes it instead. The text must not depend on the run: ports, times and random names are
   * replaced first.
   *
   * @param record the record's path below {@code src/test/golden}, such as {@code
   *     operator/endpoints.http}
   */
  public static void check(String record, String actual) {
    Path file = ROOT.resolve(record);
    String text = actual.endsWith("\n") ? actual : actual + "\n";
    write(record, text);
    try {
      assertThat(file)
          .as("a record of that name; mvn verify -Pgolden writes those that are missing")
          .exists();
      assertThat(text)
          .as("%s; if the change is meant, mvn verify -Pgolden records it", file)
          .isEqualTo(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes a record when recording, and does nothing otherwise. For what programs of others do,
   * which need not do the same again.
   */
  public static void write(String record, String text) {
    if (!RECORDS) {
      return;
    }
    Path file = ROOT.resolve(record);
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
