package io.penstock.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;

/**
 * Names of files and directories that a {@code .gitignore} leaves out. Only names are supported,
 * with {@code *} and with a final slash for directories: no paths and no exceptions.
 */
final class IgnoredNames {
  private final List<PathMatcher> any = new ArrayList<>();
  private final List<PathMatcher> directories = new ArrayList<>();

  private IgnoredNames() {
    any.add(matcher(".git"));
  }

  /** Reads a file; without it, only git's own files are ignored. */
  static IgnoredNames of(Path gitignore) {
    IgnoredNames names = new IgnoredNames();
    if (Files.exists(gitignore)) {
      try {
        Files.readAllLines(gitignore).forEach(line -> names.add(line.strip()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return names;
  }

  private void add(String line) {
    if (line.isEmpty() || line.startsWith("#")) {
      return;
    }
    boolean directory = line.endsWith("/");
    String name = directory ? line.substring(0, line.length() - 1) : line;
    if (!name.matches("[\\w.*-]+") || name.contains("**")) {
      throw new IllegalArgumentException(
          ".gitignore has '"
              + line
              + "', expected a name without a path: add support for it to "
              + IgnoredNames.class.getSimpleName());
    }
    (directory ? directories : any).add(matcher(name));
  }

  private static PathMatcher matcher(String name) {
    return FileSystems.getDefault().getPathMatcher("glob:" + name);
  }

  boolean file(Path file) {
    return matches(any, file);
  }

  boolean directory(Path directory) {
    return matches(any, directory) || matches(directories, directory);
  }

  private static boolean matches(List<PathMatcher> matchers, Path path) {
    Path name = path.getFileName();
    return name != null && matchers.stream().anyMatch(each -> each.matches(name));
  }
}
