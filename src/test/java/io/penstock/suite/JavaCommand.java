package io.penstock.suite;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the command line of a Java program that a test runs in a process of its own.
 *
 * <p>Such a process lives for seconds, so it uses only the first compiler and collects garbage in
 * one thread: it starts with less than half the processor time.
 */
public final class JavaCommand {
  private static final List<String> FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-XX:+UseCompactObjectHeaders");

  private JavaCommand() {}

  /** Returns the JVM's executable and flags; class path, main class and arguments must be added. */
  public static List<String> java(String... moreFlags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(List.of(moreFlags));
    return command;
  }

  /** Returns the command that runs a class of this JVM's class path; arguments must be added. */
  public static List<String> java(Class<?> mainClass, String... moreFlags) {
    return java(System.getProperty("java.class.path"), mainClass, moreFlags);
  }

  /**
   * Returns the command that runs a gateway; arguments must be added.
   *
   * @param mainClass the program, or a test class that starts it
   * @param withTests whether test classes are on its class path
   */
  public static List<String> gateway(Class<?> mainClass, boolean withTests, String... moreFlags) {
    List<String> flags = new ArrayList<>(StartCache.flags());
    flags.addAll(List.of(moreFlags));
    return java(StartCache.classPath(withTests), mainClass, flags.toArray(String[]::new));
  }

  /** Returns such a command with another class path. */
  public static List<String> java(String classPath, Class<?> mainClass, String... moreFlags) {
    List<String> command = java(moreFlags);
    command.addAll(List.of("-cp", classPath, mainClass.getName()));
    return command;
  }
}
