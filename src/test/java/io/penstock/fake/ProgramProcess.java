package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Penstock;
import io.penstock.suite.GatewayStarts;
import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntPredicate;

/**
 * The program in a process of its own, as started from a shell; without the classes of tests, which
 * would change how it logs. Unless a property says otherwise it does not warm up: that fails with a
 * warning on a machine that is too slow for it. Instances that share limits have a short lease.
 */
public final class ProgramProcess implements AutoCloseable {
  private static final String WARM_UP = "--penstock.warm-up=";
  private static final String REDIS = "--penstock.redis.url=";
  private static final String LEASE = "--penstock.redis.lease=";

  private final int port = RunningGateway.freePort();
  private final int operatorPort = RunningGateway.freePort();
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final Process process;
  private final Thread reader;

  /** Serves a route file; returns when it is ready. */
  public ProgramProcess(Path routes, String... properties) throws IOException {
    this(Map.of(), serve(routes, properties));
  }

  /**
   * Runs the program with these words, and with these variables besides those of this process, on
   * ports of its own; returns when it is ready.
   */
  public ProgramProcess(Map<String, String> environment, List<String> words) throws IOException {
    this(environment, words, status -> status == 200);
  }

  private ProgramProcess(
      Map<String, String> environment, List<String> words, IntPredicate isAwaited)
      throws IOException {
    List<String> command = JavaCommand.gateway(Penstock.class, false);
    command.addAll(words);
    command.addAll(List.of("--port=" + port, "--operator-port=" + operatorPort));
    if (command.stream().noneMatch(word -> word.startsWith(WARM_UP))) {
      command.add(WARM_UP + "false");
    }
    if (command.stream().anyMatch(word -> word.startsWith(REDIS))
        && command.stream().noneMatch(word -> word.startsWith(LEASE))) {
      command.add(LEASE + "2s");
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    GatewayStarts.process();
    process = builder.start();
    reader = ProgramOutput.follow(process.inputReader(UTF_8), log::add);
    PatientWaits.await()
        .failFast(() -> assertThat(process.isAlive()).as("log: %s", log).isTrue())
        .until(() -> isAwaited.test(readiness()));
  }

  /** Serves a route file; returns when it says whether it is ready. */
  public static ProgramProcess answering(Path routes, String... properties) throws IOException {
    return new ProgramProcess(Map.of(), serve(routes, properties), status -> status != 0);
  }

  private static List<String> serve(Path routes, String... properties) {
    List<String> words = new ArrayList<>(List.of("serve", "--routes=" + routes));
    words.addAll(List.of(properties));
    return words;
  }

  public int port() {
    return port;
  }

  public int operatorPort() {
    return operatorPort;
  }

  public ByteSocket connect() {
    return ByteSocket.to(port);
  }

  public HttpMessage get(String target) {
    return get(port, target);
  }

  public HttpMessage operator(String target) {
    return get(operatorPort, target);
  }

  private static HttpMessage get(int port, String target) {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket.send("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").answer();
    }
  }

  /** Returns the status of its readiness, or 0 when there is no answer. */
  public int readiness() {
    try {
      return operator("/actuator/health/readiness").status();
    } catch (UncheckedIOException notYet) {
      return 0;
    }
  }

  public void terminate() {
    process.toHandle().destroy(); // Process.destroy would close its output too
  }

  public void interrupt() throws IOException {
    signal("-INT");
  }

  /** Suspends it like {@code kill -STOP}. */
  public void pause() throws IOException {
    signal("-STOP");
  }

  /** Resumes it like {@code kill -CONT}. */
  public void resume() throws IOException {
    signal("-CONT");
  }

  private void signal(String signal) throws IOException {
    Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
    assertThat(PatientWaits.end(kill)).isZero();
  }

  /**
   * Returns whether it ignores interrupts, as programs do that some shells start in the background.
   */
  public boolean ignoresInterrupts() throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    return Files.readString(status)
        .lines()
        .filter(line -> line.startsWith("SigIgn:"))
        .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
  }

  /** Returns what it has written, line by line. */
  public List<String> log() {
    return List.copyOf(log);
  }

  /** Checks that it ends by itself, without an error. */
  public void endsWell() {
    assertThat(PatientWaits.end(process, this::log)).as("log: %s", log).isZero();
    PatientWaits.await().until(() -> !reader.isAlive()); // the log is complete
    assertThat(log).noneMatch(line -> line.contains("Exception"));
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly();
  }
}
