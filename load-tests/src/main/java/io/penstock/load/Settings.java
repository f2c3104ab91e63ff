package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a run was told by system properties. A number that was not told, or is 0, is what the
 * scenario says it is.
 *
 * @param directory where everything is made
 * @param jar which gateway is measured
 * @param root of the sources of the gateway
 */
record Settings(Path directory, Path jar, Path root) {
  static Settings told() {
    Path directory = Path.of(System.getProperty("directory", "target")).toAbsolutePath();
    Path jar = Path.of(System.getProperty("penstock.jar", "../target/penstock.jar"));
    Path root = Path.of(System.getProperty("root", "..")).toAbsolutePath().normalize();
    return new Settings(directory, jar.toAbsolutePath().normalize(), root);
  }

  /** Returns how often everybody takes a turn. */
  int rounds(int otherwise) {
    return number("rounds", otherwise);
  }

  /** Returns how many pairs of measurements are taken of two jars. */
  int pairs(int otherwise) {
    return number("pairs", otherwise);
  }

  /** Returns whether a scenario is only to be tried, without a result. */
  static boolean smoke() {
    return Boolean.getBoolean("smoke");
  }

  /** Returns a text that was told, or the other one where it was not told or is empty. */
  static String text(String name, String otherwise) {
    String told = System.getProperty(name, "").strip();
    return told.isEmpty() ? otherwise : told;
  }

  /** Returns a text that was told; empty where it was not. */
  static String text(String name) {
    return text(name, "");
  }

  /** Returns how long a stretch of load is. */
  Duration stretch(int otherwiseSeconds) {
    return Duration.ofSeconds(number("seconds", otherwiseSeconds));
  }

  /** Returns how long everybody is sent load before anything is measured. */
  Duration warmup(int otherwiseSeconds) {
    return Duration.ofSeconds(number("warmup", otherwiseSeconds));
  }

  int connections(int otherwise) {
    return number("connections", otherwise);
  }

  /** Returns how many attempts a second somebody makes at most. */
  int rate(int otherwise) {
    return number("rate", otherwise);
  }

  int minutes(int otherwise) {
    return number("minutes", otherwise);
  }

  /** Returns the directory of a scenario, made if it is not there. */
  Path made(String scenario) throws IOException {
    return Files.createDirectories(directory.resolve(scenario));
  }

  /** Returns what chooses the program that sends load. */
  Load load(String by, Path made, int connections) {
    Path script = Path.of(System.getProperty("script", "src/main/wrk/post.lua")).toAbsolutePath();
    return Load.by(by, made, script, connections);
  }

  /** Returns what was told of who sends load: {@code wrk}, {@code own} or {@code auto}. */
  static String loadBy() {
    return System.getProperty("load", "auto");
  }

  private static int number(String name, int otherwise) {
    int told = Integer.getInteger(name, 0);
    if (told < 0) {
      throw new IllegalArgumentException(name + " is " + told + ", expected at least 1");
    }
    return told == 0 ? otherwise : told;
  }
}
