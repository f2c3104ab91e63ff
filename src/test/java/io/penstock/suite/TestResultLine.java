package io.penstock.suite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * One line of output with the result of a test in another JVM.
 *
 * @param name class and test, for people
 * @param failure the stack trace, empty if the test did not fail
 */
record TestResultLine(String name, String failure) {
  private static final String BEGIN = "@penstock-test-result ";

  /** Parses a line of output; returns null if it holds no result. */
  static @Nullable TestResultLine parse(String line) {
    if (!line.startsWith(BEGIN)) {
      return null;
    }
    String[] parts = line.substring(BEGIN.length()).split(" ", -1);
    return new TestResultLine(decoded(parts[0]), decoded(parts[1]));
  }

  /** Returns the line. */
  String line() {
    return BEGIN + encoded(name) + " " + encoded(failure);
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  private static String decoded(String text) {
    return new String(Base64.getDecoder().decode(text), UTF_8);
  }
}
