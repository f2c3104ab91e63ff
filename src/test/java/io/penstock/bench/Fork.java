package io.penstock.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, so that nobody else's garbage and profile are measured. */
final class Fork {
  /** What the tests of this process were compiled into, and all they need. */
  static final String CLASSES = System.getProperty("java.class.path");

  private Fork() {}

  /** Runs a main class until it ends; returns what it said, on both streams. */
  static String run(String classes, Path log, long longestSeconds, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // as the gateway runs
    command.addAll(List.of("-XX:+UseCompactObjectHeaders", "-Xmx1g"));
    command.addAll(List.of("--sun-misc-unsafe-memory-access=allow", "-cp", classes));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean ended = process.waitFor(longestSeconds, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    String said = Files.readString(log);
    if (!ended || process.exitValue() != 0) {
      throw new AssertionError(String.join(" ", arguments) + " did not end well:\n" + said);
    }
    return said;
  }
}
