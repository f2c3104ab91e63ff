package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The place where a jar comes from: a file, or a commit, tag or branch of the repository, of which
 * the jar is built. A jar that was built is kept by the hash of its commit.
 */
final class JarSource {
  /** How long a build may take. */
  static final Duration BUILD = Duration.ofMinutes(15);

  private static final Duration GIT = Duration.ofMinutes(2);

  private final Path made;
  private final Path root;

  /**
   * Makes one.
   *
   * @param made where logs are written and jars are kept
   * @param root of the repository
   */
  JarSource(Path made, Path root) {
    this.made = made;
    this.root = root;
  }

  /** Returns the jar that is meant by the value of a property. */
  Path jar(String property, String value) throws IOException, InterruptedException {
    if (value.isBlank()) {
      throw new IOException(
          "%s is missing: tell -D%s=JAR or -D%s=COMMIT".formatted(property, property, property));
    }
    for (Path from : List.of(Path.of("").toAbsolutePath(), root)) {
      Path file = from.resolve(value).normalize();
      if (Files.isRegularFile(file)) {
        return file;
      }
    }
    if (value.endsWith(".jar")) {
      throw new IOException(
          "%s is '%s', which is no file here or in %s".formatted(property, value, root));
    }
    return built(property, value);
  }

  private Path built(String property, String value) throws IOException, InterruptedException {
    String hash;
    try {
      hash = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", value + "^{commit}");
    } catch (IOException e) {
      throw new IOException(
          "%s is '%s', which is neither a file nor a commit".formatted(property, value), e);
    }
    Path jars = Files.createDirectories(made.resolve("jars"));
    Path jar = jars.resolve(hash + ".jar");
    if (!Files.exists(jar)) {
      System.out.printf("builds the jar of commit %s%n", hash);
      Path clone = Files.createTempDirectory(made, "build");
      try {
        git(made, "clone", "--quiet", "--shared", "--no-checkout", "" + root, "" + clone);
        git(clone, "checkout", "--quiet", "--detach", hash);
        List<String> build = List.of(maven(), "-q", "-B", "package", "-Dmaven.test.skip=true");
        run("build", clone, build, BUILD);
        Path whole = jars.resolve(hash + ".new");
        Files.copy(clone.resolve("target/penstock.jar"), whole);
        Files.move(whole, jar, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        run("remove", made, List.of("rm", "-rf", clone.toString()), GIT);
      }
    }
    return jar;
  }

  private static String maven() throws IOException {
    return Stage.installed("mvn").toString();
  }

  private String git(Path work, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Stage.installed("git").toString()));
    command.addAll(List.of(arguments));
    return run("git", work, command, GIT).strip();
  }

  private String run(String name, Path work, List<String> command, Duration longest)
      throws IOException, InterruptedException {
    try (Child child = Child.start(name, made, work, command)) {
      return child.await(longest);
    }
  }
}
