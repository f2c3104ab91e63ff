package io.penstock.upgrade;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.clients.CachedInstallation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Assumptions;
import org.springframework.util.FileSystemUtils;

/**
 * The jar that upgrades start from, built from a commit of this repository. It is built once and
 * kept in the local Maven repository by the hash of the commit, also for other JVMs and later
 * builds.
 */
final class PreviousJar {
  /** The commit that the jar is built from; a tag works, too. */
  private static final String COMMIT = System.getProperty("penstock.previous", "HEAD");

  private static final Path CACHE = Path.of("io", "penstock", "previous");
  private static final String JAR = "penstock.jar";
  private static final Duration GIT_LIMIT = Duration.ofMinutes(2);
  private static final Duration BUILD_LIMIT = Duration.ofMinutes(15);

  /**
   * The result of a command.
   *
   * @param status its exit status
   * @param text its output and errors
   */
  record Ended(int status, String text) {}

  private final Path home;

  private PreviousJar(Path home) {
    this.home = home;
  }

  /**
   * Returns the jar, built if necessary. Skips the test if git or the commit is missing, as in an
   * archive of the sources.
   */
  static Path built() throws IOException {
    String hash = hash();
    Path repository = Path.of(property("penstock.maven.repository"));
    Path home = Files.createDirectories(repository.resolve(CACHE).resolve(hash)).toRealPath();
    PreviousJar jar = new PreviousJar(home);
    new CachedInstallation(home, "built").ensure(hash, () -> jar.build(hash));
    return home.resolve(JAR);
  }

  private static String hash() {
    Ended found;
    try {
      found =
          run(
              Path.of(""),
              Files.createTempFile("git", ".log"),
              GIT_LIMIT,
              List.of("git", "rev-parse", "--verify", "--end-of-options", COMMIT + "^{commit}"));
    } catch (IOException none) {
      return Assumptions.abort("git did not start: " + none.getMessage());
    }
    String hash = found.text().strip();
    if (found.status() != 0 || !hash.matches("[0-9a-f]{40,64}")) {
      return Assumptions.abort("git does not find commit " + COMMIT + ": " + hash);
    }
    return hash;
  }

  private void build(String hash) {
    System.out.println("builds the jar of commit " + hash + ", which upgrades are tested from");
    Path source = home.resolve("source");
    try {
      FileSystemUtils.deleteRecursively(source);
      archive(hash, source);
      Ended maven = maven(source, List.of("-o"));
      if (maven.status() != 0) {
        maven = maven(source, List.of());
      }
      if (maven.status() != 0) {
        throw new AssertionError("the jar of commit " + hash + " was not built: " + maven.text());
      }
      Path built = source.resolve("target").resolve(JAR);
      Files.move(built, home.resolve(JAR), StandardCopyOption.REPLACE_EXISTING);
      FileSystemUtils.deleteRecursively(source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void archive(String hash, Path source) throws IOException {
    Path zip = home.resolve("source.zip");
    Ended git =
        run(
            Path.of(""),
            home.resolve("git.log"),
            GIT_LIMIT,
            List.of("git", "archive", "--format=zip", "--output=" + zip, hash));
    if (git.status() != 0) {
      throw new AssertionError("git did not archive commit " + hash + ": " + git.text());
    }
    try (ZipFile files = new ZipFile(zip.toFile())) {
      for (ZipEntry entry : Collections.list(files.entries())) {
        Path to = source.resolve(entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(to);
        } else {
          Files.createDirectories(Objects.requireNonNull(to.getParent()));
          try (InputStream content = files.getInputStream(entry)) {
            Files.copy(content, to);
          }
        }
      }
    }
    Files.delete(zip);
  }

  /** Packages only the program, with the Maven and the local repository of the running build. */
  private Ended maven(Path source, List<String> flags) throws IOException {
    Path program = Path.of(property("penstock.maven.home"), "bin", "mvn");
    List<String> command = new ArrayList<>(List.of(program.toString(), "-q", "-B"));
    command.addAll(flags);
    command.add("-Dmaven.repo.local=" + property("penstock.maven.repository"));
    command.add("-Dmaven.test.skip=true");
    command.add("package");
    return run(source, home.resolve("build.log"), BUILD_LIMIT, command);
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), () -> name + " is told by the build");
  }

  /** Runs a command with its output in a file, and kills it after {@code limit}. */
  static Ended run(Path directory, Path log, Duration limit, List<String> command)
      throws IOException {
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toAbsolutePath().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended =
        process
            .onExit()
            .thenApply(_ -> true)
            .completeOnTimeout(false, limit.toMillis(), TimeUnit.MILLISECONDS)
            .join();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    int status = process.destroyForcibly().onExit().join().exitValue();
    String text = Files.readString(log, UTF_8);
    return ended
        ? new Ended(status, text)
        : new Ended(-1, text + command + " took longer than " + limit);
  }
}
