package io.penstock.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The files of the project: those that git tracks. Without git, as in an unpacked archive, they are
 * those that {@code .gitignore} leaves.
 */
public final class SourceTree {
  /** The variables by which a hook of git names its repository, which may be another one. */
  private static final List<String> HOOK_VARIABLES =
      List.of("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE");

  /** The files of the project itself, which Maven's working directory contains. */
  public static final SourceTree PROJECT = new SourceTree(Path.of(""));

  private final Path root;
  private final boolean tracked;
  private final List<Path> files;

  /** Lists the files of a directory; their paths begin with it. */
  SourceTree(Path root) {
    this.root = root;
    List<Path> listed = git("ls-files", "-z").orElse(List.of());
    tracked = !listed.isEmpty(); // nothing in a directory that only lies inside another repository
    files = tracked ? listed : walk();
  }

  /** Returns whether the list of files comes from git. */
  public boolean tracked() {
    return tracked;
  }

  /** Returns all files in a stable order. */
  public List<Path> files() {
    return files;
  }

  /** Returns the files under a directory of the tree whose names have an ending. */
  public List<Path> files(Path directory, String ending) {
    return chosen(files, directory, ending);
  }

  /** Returns the Java files under a directory of the tree. */
  public List<Path> javaFiles(Path directory) {
    return files(directory, ".java");
  }

  /**
   * Returns the files under a directory with an ending that differ from the last commit, with those
   * that are not yet tracked and not ignored. Without git there are none.
   */
  public List<Path> changed(Path directory, String ending) {
    if (!tracked) {
      return List.of();
    }
    TreeSet<Path> changed = new TreeSet<>();
    // before the first commit all are
    changed.addAll(git("diff", "--name-only", "--relative", "-z", "HEAD").orElse(files));
    git("ls-files", "--others", "--exclude-standard", "-z").ifPresent(changed::addAll);
    return chosen(List.copyOf(changed), directory, ending);
  }

  /** Returns the text of a file, or empty if it is not UTF-8 and thus not text. */
  public static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file));
    } catch (MalformedInputException binary) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> chosen(List<Path> files, Path directory, String ending) {
    return files.stream()
        .filter(file -> file.startsWith(directory) && file.toString().endsWith(ending))
        .toList();
  }

  /** Returns the files that a command of git prints, or empty where git fails or is missing. */
  private Optional<List<Path>> git(String... arguments) {
    List<String> command = new ArrayList<>(List.of("git"));
    // the owner of a checkout is often another user in a container, and a build runs its code
    // anyway
    command.addAll(List.of("-c", "safe.directory=*"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(root.toAbsolutePath().toFile());
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    HOOK_VARIABLES.forEach(builder.environment()::remove);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? Optional.of(existing(printed)) : Optional.empty();
    } catch (IOException notInstalled) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while git lists files", e);
    }
  }

  /** Returns the files of a list; others are deleted, or links, or repositories of their own. */
  private List<Path> existing(String list) {
    return Stream.of(list.split("\0"))
        .filter(name -> !name.isEmpty())
        .map(root::resolve)
        .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
        .sorted()
        .toList();
  }

  private List<Path> walk() {
    IgnoredNames ignored = IgnoredNames.of(root.resolve(".gitignore"));
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
              boolean skip = !path.equals(root) && ignored.directory(path);
              return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
              if (attributes.isRegularFile() && !ignored.file(path)) {
                found.add(path);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found.stream().sorted().toList();
  }
}
