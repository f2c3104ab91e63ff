package io.penstock.architecture;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

/** Formats Java files like google-java-format, and removes unused imports. */
final class SourceFormat {
  /** Command that formats the tree. */
  private static final String COMMAND = "mvn -q process-sources -Pformat";

  private SourceFormat() {}

  /**
   * Formats or checks Java files, and ends with status 1 if a check fails.
   *
   * @param arguments {@code rewrite} or {@code check}; {@code all}, or {@code changed} for files
   *     that git reports as changed; and the directories
   */
  public static void main(String[] arguments) {
    boolean all = arguments[1].equals("all");
    List<Path> files = files(all, List.of(arguments).subList(2, arguments.length));
    try {
      if (arguments[0].equals("rewrite")) {
        rewrite(files).forEach(file -> System.out.println("formatted " + file));
      } else if (!all && !SourceTree.PROJECT.tracked()) {
        System.out.println("format: not checked, because git tracks nothing here");
      } else {
        check(files);
      }
    } catch (IllegalArgumentException fault) {
      System.err.println(fault.getMessage());
      System.exit(1);
    }
  }

  private static List<Path> files(boolean all, List<String> directories) {
    TreeSet<Path> files = new TreeSet<>();
    for (String directory : directories) {
      files.addAll(SourceTree.PROJECT.changed(Path.of(directory), ".java"));
      if (all) {
        files.addAll(SourceTree.PROJECT.javaFiles(Path.of(directory)));
      }
    }
    return List.copyOf(files);
  }

  /** Rewrites those of the files that are not formatted, and returns them. */
  static List<Path> rewrite(List<Path> files) {
    List<Path> unformatted = unformatted(files);
    for (Path file : unformatted) {
      write(file, formatted(file));
    }
    return unformatted;
  }

  /** Throws an exception that names those of the files that formatting would change. */
  static void check(List<Path> files) {
    List<Path> unformatted = unformatted(files);
    if (!unformatted.isEmpty()) {
      StringBuilder fault = new StringBuilder("format: these files are not formatted\n");
      unformatted.forEach(file -> fault.append("  ").append(file).append('\n'));
      throw new IllegalArgumentException(fault + "format: this formats them: " + COMMAND);
    }
  }

  private static List<Path> unformatted(List<Path> files) {
    return files.parallelStream()
        .filter(file -> !formatted(file).equals(SourceTree.text(file).orElseThrow()))
        .toList();
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
