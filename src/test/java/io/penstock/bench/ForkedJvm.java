package io.penstock.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs code in a JVM of its own, so that garbage and profiles of other code are not measured. */
final class ForkedJvm {
  /** The class path of the tests in this process. */
  static final String CLASSES = System.getProperty("java.class.path");

  private ForkedJvm() {}

  /** Runs a main class until it ends; returns its standard output and errors. */
  static String run(String classes, Path log, long longestSeconds, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // flag with which the gateway runs
    command.addAll(List.of("-XX:+UseCompactObjectHeaders", "-Xmx1g"));
    command.addAll(List.of("--sun-misc-unsafe-memory-access=allow", "-cp", classes));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean ended = process.waitFor(longestSeconds, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    String message = Files.readString(log);
    if (!ended || process.exitValue() != 0) {
      throw new AssertionError(String.join(" ", arguments) + " did not end well:\n" + message);
    }
    return message;
  }
}
