package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.Penstock;
import io.penstock.suite.GatewayStarts;
import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The program in a process of its own, which logs its releases. */
final class LoggedProgram implements AutoCloseable {
  private final int number;
  private final int server;
  private final Path released;
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final Process process;
  private final Thread reader;

  /**
   * Starts a process.
   *
   * @param number how many were started before
   * @param server its index at the balancer
   */
  LoggedProgram(int number, int server, HaProxy.Server ports, Path directory, String... more)
      throws IOException {
    this.number = number;
    this.server = server;
    this.released = directory.resolve("released-" + number);
    List<String> command = JavaCommand.gateway(Penstock.class, true, "-Xmx512m");
    command.addAll(
        List.of(
            "serve",
            "--routes=" + directory.resolve("routes"),
            "--port=" + ports.port(),
            "--operator-port=" + ports.checkPort(),
            ReleaseNotes.ARGUMENT,
            "--" + ReleaseNotes.FILE + "=" + released,
            "--penstock.warm-up=false", // it fails with a warning on a slow machine
            "--logging.level.io.penstock=INFO"));
    command.addAll(List.of(more));
    GatewayStarts.process();
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    reader = ProgramOutput.follow(process.inputReader(UTF_8), log::add);
  }

  int number() {
    return number;
  }

  int server() {
    return server;
  }

  boolean lives() {
    return process.isAlive();
  }

  void terminate() {
    process.toHandle().destroy(); // the process itself would close its output, too
  }

  /** Kills it like {@code kill -9}. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** Waits until it has ended by itself; returns the exit code. */
  int ended() {
    PatientWaits.end(process, this::log);
    PatientWaits.await().until(() -> !reader.isAlive()); // the log is complete
    return process.exitValue();
  }

  List<String> log() {
    return List.copyOf(log);
  }

  List<GatewayFleet.Released> released(String endpoint) throws IOException {
    return ReleaseNotes.read(released, number, endpoint);
  }

  @Override
  public void close() {
    kill();
  }
}
