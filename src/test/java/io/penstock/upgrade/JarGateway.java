package io.penstock.upgrade;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.GatewayStarts;
import io.penstock.suite.JavaCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A gateway run from one of the jars, in a process of its own. */
final class JarGateway implements AutoCloseable {
  private static final Duration LONGEST = Duration.ofSeconds(90);

  private final JarVersion version;
  private final int port = RunningGateway.freePort();
  private final int operatorPort = RunningGateway.freePort();
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final Process process;
  private final Thread reader;

  /** Begins to start a gateway; {@link #outcome} waits for it. */
  static JarGateway begin(JarVersion version, Path routes, List<String> arguments)
      throws IOException {
    return new JarGateway(version, routes, arguments);
  }

  private JarGateway(JarVersion version, Path routes, List<String> arguments) throws IOException {
    this.version = version;
    List<String> command = JavaCommand.java("-Xmx256m", "-jar", UnpackedJar.of(version).toString());
    command.addAll(
        List.of(
            "serve", "--routes=" + routes, "--port=" + port, "--operator-port=" + operatorPort));
    command.addAll(arguments);
    GatewayStarts.process();
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    reader = Thread.ofVirtual().start(() -> process.inputReader(UTF_8).lines().forEach(log::add));
  }

  JarVersion version() {
    return version;
  }

  /** Waits until the gateway is ready or has ended, and returns the outcome. */
  StartOutcome outcome() {
    PatientWaits.await()
        .atMost(LONGEST)
        .pollDelay(Duration.ZERO)
        .until(() -> !process.isAlive() || readiness() == 200);
    if (process.isAlive()) {
      return new StartOutcome.Serving();
    }
    return StartOutcome.ended(process.exitValue(), wholeLog());
  }

  private int readiness() {
    try {
      return operator("GET", "/actuator/health/readiness", "").status();
    } catch (UncheckedIOException notYet) {
      return 0;
    }
  }

  /** Sends a request to the gateway's port with a key. */
  HttpMessage ask(String key, String target) {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket.send(request(key, target)).answer();
    }
  }

  @SuppressWarnings("StringConcatToTextBlock") // as on the wire
  private static String request(String key, String target) {
    return "GET "
        + target
        + " HTTP/1.1\r\nHost: 127.0.0.1\r\nx-penstock-key: "
        + key
        + "\r\nConnection: close\r\n\r\n";
  }

  /** Sends a request to the operator port. */
  HttpMessage operator(String method, String target, String json) {
    try (ByteSocket byteSocket = ByteSocket.to(operatorPort)) {
      String head = "Host: 127.0.0.1:" + operatorPort + "\r\nConnection: close";
      String request = ByteSocket.request(method, target, json).replace("Host: penstock", head);
      return byteSocket.send(request).answer();
    }
  }

  /** Begins to stop the gateway as its operator would; {@link #awaitEnd} waits for it. */
  void terminate() {
    process.toHandle().destroy(); // the process itself would close its output, too
  }

  /** Waits for the end of a gateway that was told to stop, and fails unless it drained properly. */
  void awaitEnd() {
    process.onExit().completeOnTimeout(process, LONGEST.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(process.isAlive()).as("alive; log: %s", log).isFalse();
    assertThat(process.exitValue()).as("log: %s", wholeLog()).isZero();
    assertThat(wholeLog()).noneMatch(JarGateway::isFault);
  }

  /**
   * Returns whether a line reports a fault. The Redis client logs an error if it is shut down while
   * it reconnects; that is none.
   */
  private static boolean isFault(String line) {
    return line.contains("Exception")
        && !line.startsWith("java.util.concurrent.RejectedExecutionException: Task org.redisson.");
  }

  private List<String> wholeLog() {
    try {
      reader.join(LONGEST.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return List.copyOf(log);
  }

  @Override
  public void close() {
    process.toHandle().destroyForcibly();
  }

  @Override
  public String toString() {
    return version + ", which wrote " + log;
  }
}
