package io.penstock.load;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/** What this machine has: programs, ports, a Java. */
final class Machine {
  /** Below those that the system gives to connections by itself. */
  private static final int FIRST_PORT = 20_000;

  private static final int PORTS = 12_000;
  private static final Random RANDOM = new Random();

  /** Every gateway and proxy that runs on a JVM has these flags, those that Penstock runs with. */
  private static final List<String> FLAGS =
      List.of(
          "-Xms512m",
          "-Xmx512m",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private Machine() {}

  /** Returns the program of that name in a directory of {@code PATH}. */
  static Optional<Path> program(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    for (String directory : path.split(File.pathSeparator, -1)) {
      Path file = Path.of(directory, name);
      if (!directory.isEmpty() && Files.isExecutable(file) && !Files.isDirectory(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  /** Returns a port on which nobody listens. */
  static int freePort() throws IOException {
    for (int tries = 0; tries < 100; tries++) {
      int port = FIRST_PORT + RANDOM.nextInt(PORTS);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException taken) {
        // so another one
      }
    }
    throw new IOException("no port of " + FIRST_PORT + " and the next " + PORTS + " is free");
  }

  /** Returns the flags of all. */
  static List<String> flags() {
    return FLAGS;
  }

  /** Returns the command of a JVM with the flags of all. */
  static List<String> java(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(List.of(arguments));
    return command;
  }

  /** Returns the command of a main class of this project. */
  static List<String> main(Class<?> main, String... arguments) {
    return main(System.getProperty("java.class.path"), main, arguments);
  }

  /**
   * Returns the command of a main class of this project that is measured beside Penstock. The load
   * generator brings a library with which it would leave epoll, which it comes with and which
   * Penstock runs on, for io_uring, which takes less of a processor: here it is as it comes.
   */
  static List<String> peer(Class<?> main, String... arguments) {
    String path = System.getProperty("java.class.path");
    String comes =
        Arrays.stream(path.split(File.pathSeparator, -1))
            .filter(entry -> !entry.contains("io_uring"))
            .collect(Collectors.joining(File.pathSeparator));
    return main(comes, main, arguments);
  }

  private static List<String> main(String classPath, Class<?> main, String... arguments) {
    List<String> command = java("-cp", classPath, main.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  /** Returns when and where something was measured, for tables. */
  static String described() {
    return "%s, %d processors, Java %s, %s %s"
        .formatted(
            LocalDate.now(ZoneOffset.UTC),
            Runtime.getRuntime().availableProcessors(),
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
  }
}
