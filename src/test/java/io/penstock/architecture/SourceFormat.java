package io.penstock.architecture;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Formats Java files like google-java-format, and removes unused imports. */
final class SourceFormat {
  /** Command that formats the tree. */
  static final String COMMAND = "mvn -q process-sources -Pformat";

  private SourceFormat() {}

  /** Formats the files under each directory and prints the changed ones. */
  public static void main(String[] directories) {
    for (String directory : directories) {
      for (Path file : rewrite(Path.of(directory))) {
        System.out.println("formatted " + file);
      }
    }
  }

  /** Rewrites the files under the directory that are not formatted, and returns them. */
  static List<Path> rewrite(Path directory) {
    List<Path> files = unformatted(directory);
    for (Path file : files) {
      write(file, formatted(file));
    }
    return files;
  }

  /** Returns the files under the directory that formatting would change. */
  static List<Path> unformatted(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .sorted()
          .toList()
          .parallelStream()
          .filter(file -> !formatted(file).equals(SourceTree.text(file).orElseThrow()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String formatted(Path file) {
    try {
      return new Formatter().formatSourceAndFixImports(SourceTree.text(file).orElseThrow());
    } catch (FormatterException e) {
      throw new IllegalArgumentException(file + " cannot be formatted: " + e.getMessage(), e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
