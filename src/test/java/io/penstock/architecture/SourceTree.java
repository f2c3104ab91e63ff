package io.penstock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The files of the repository, found from Maven's working directory. */
final class SourceTree {
  static final Path ROOT = Path.of("");

  private static final Set<String> NOT_OURS =
      Set.of(".git", ".idea", ".settings", ".vscode", "node_modules", "target");

  private SourceTree() {}

  /** Returns the Java files under a directory, of both trees, in a stable order. */
  static List<Path> javaFiles(Path root) {
    List<Path> files = new ArrayList<>();
    for (Path file : files(root)) {
      if (file.toString().endsWith(".java")) {
        files.add(file);
      }
    }
    return files;
  }

  /** Returns every file under a directory that is not generated, downloaded or an editor's. */
  static List<Path> files(Path root) {
    List<Path> files = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
              boolean skip = !path.equals(root) && NOT_OURS.contains(name(path));
              return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
              if (attributes.isRegularFile()) {
                files.add(path);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    files.sort(null);
    return files;
  }

  /** Returns the text of a file, or empty if it is not UTF-8 and thus not text. */
  static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file));
    } catch (MalformedInputException binary) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(Path path) {
    Path name = path.getFileName();
    return name == null ? "" : name.toString();
  }
}
