package io.penstock.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The list of route files: a single file, or the {@code *.yaml} and {@code *.yml} of a directory in
 * name order. Names that start with a dot are skipped, because editors and Kubernetes create such
 * files.
 */
sealed interface RouteListing {
  /** Maximum number of files. */
  int MOST = 1000;

  /** At least one file was found. */
  record Found(List<Path> files) implements RouteListing {}

  /** There is nothing to read; {@code problem} says why. */
  record Nothing(String problem) implements RouteListing {}

  static RouteListing of(Path directoryOrFile) {
    if (Files.isDirectory(directoryOrFile)) {
      return ofDirectory(directoryOrFile);
    }
    return Files.exists(directoryOrFile, LinkOption.NOFOLLOW_LINKS)
        ? new Found(List.of(directoryOrFile))
        : new Nothing("does not exist, expected a route file or a directory of route files");
  }

  private static RouteListing ofDirectory(Path directory) {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, RouteListing::route)) {
      for (Path entry : entries) {
        files.add(entry);
        if (files.size() > MOST) {
          return new Nothing("has more than " + MOST + " route files, expected fewer");
        }
      }
    } catch (DirectoryIteratorException e) {
      return new Nothing(problem(Objects.requireNonNull(e.getCause())));
    } catch (IOException e) {
      return new Nothing(problem(e));
    }
    files.sort(Comparator.comparing(RouteListing::name));
    return files.isEmpty()
        ? new Nothing("has no route files, expected at least one *.yaml or *.yml")
        : new Found(files);
  }

  private static boolean route(Path entry) {
    String name = name(entry);
    return !name.startsWith(".")
        && (name.endsWith(".yaml") || name.endsWith(".yml"))
        && !Files.isDirectory(entry);
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  /** Reads {@code file}, up to one byte more than the maximum size of a route file. */
  static byte[] read(Path file) throws IOException {
    // Opening a pipe would block until there is a writer.
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException("not a regular file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(RouteFile.MAX_BYTES + 1);
    }
  }

  /** Returns in words why a file cannot be read. */
  static String problem(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> "does not exist, expected a route file";
      case AccessDeniedException denied -> "cannot be read, expected permission to read it";
      default -> "cannot be read (" + e.getMessage() + "), expected a route file";
    };
  }
}
