package io.penstock.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that ends with this one, however this one ends: a shell between them reads from a pipe
 * that only this process holds open, and ends the program when the pipe is closed.
 */
final class Child implements AutoCloseable {
  private static final String LIFELINE =
      """
      exec 3<&0
      "$@" </dev/null 3<&- &
      child=$!
      { cat <&3 >/dev/null; kill "$child"; sleep 5; kill -9 "$child"; } 2>/dev/null &
      watch=$!
      exec 3<&-
      wait "$child"
      status=$?
      kill "$watch" 2>/dev/null
      exit "$status"
      """;

  private static final int LONGEST_END_SECONDS = 8;
  private static final int TAIL = 500;

  private final String name;
  private final Process process;
  private final Path log;

  private Child(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /** Starts a program; what it says goes to a file of its name in the directory. */
  static Child start(String name, Path directory, List<String> command) throws IOException {
    return start(name, directory, directory, command);
  }

  /** Does the same in another working directory. */
  static Child start(String name, Path directory, Path work, List<String> command)
      throws IOException {
    List<String> all = new ArrayList<>(List.of("sh", "-c", LIFELINE, name));
    all.addAll(command);
    Files.createDirectories(directory);
    Path log = directory.resolve(name + ".log");
    Process process =
        new ProcessBuilder(all)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new Child(name, process, log);
  }

  /** Waits until somebody listens on the port; fails with what was said if nobody ever will. */
  void awaitPort(int port, Duration longest) throws IOException, InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (!listens(port)) {
      if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
        throw new IOException(name + " ended with " + process.exitValue() + ": " + tail());
      }
      if (System.nanoTime() > end) {
        throw new IOException(name + " does not listen after " + longest + ": " + tail());
      }
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Waits for the program to end by itself and returns what it said; fails if it does not. */
  String await(Duration longest) throws IOException, InterruptedException {
    if (awaitEnd(longest) != 0) {
      throw new IOException(name + " ended with " + process.exitValue() + ": " + tail());
    }
    return said();
  }

  /** Returns the process of the program itself. */
  ProcessHandle program() throws IOException {
    for (ProcessHandle each : process.children().toList()) {
      if (!each.info().command().orElse("").endsWith("sh")) {
        return each;
      }
    }
    throw new IOException(name + " does not run: " + tail());
  }

  /** Kills the program at once, as the system does when it has no memory left. */
  void kill() throws IOException {
    program().destroyForcibly();
  }

  /** Asks the program to end, and waits until it has; returns the status it ended with. */
  int end(Duration longest) throws IOException, InterruptedException {
    program().destroy();
    return awaitEnd(longest);
  }

  /** Waits for the program to end by itself and returns the status it ended with. */
  int awaitEnd(Duration longest) throws IOException, InterruptedException {
    if (!process.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IOException(name + " runs on after " + longest + ": " + tail());
    }
    return process.exitValue();
  }

  private String said() throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
  }

  /** Returns what the program said; of much, how it began and how it ended. */
  String tail() throws IOException {
    String said = said().strip();
    return said.length() <= 2 * TAIL
        ? said
        : said.substring(0, TAIL) + " … " + said.substring(said.length() - TAIL);
  }

  @Override
  public void close() {
    List<ProcessHandle> below = process.descendants().toList();
    try {
      process.getOutputStream().close();
      process.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS);
    } catch (IOException alreadyEnded) {
      // nobody reads the pipe any more
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      below.forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
