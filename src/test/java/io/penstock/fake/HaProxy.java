package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** The HAProxy installed on this machine, in front of gateways that it checks for health. */
public final class HaProxy implements AutoCloseable {
  /** Header that identifies requests in its log. */
  public static final String ID = "x-test-id";

  /**
   * A gateway that it may send requests to.
   *
   * @param checkPort port of the health check
   */
  public record Server(int port, int checkPort) {}

  /**
   * The health check.
   *
   * @param falls number of consecutive failures after which the server is considered down
   */
  public record Check(String path, int everySeconds, int falls) {}

  /**
   * The outcome of a request.
   *
   * @param server index of the server it went to; -1 if none was available
   * @param end HAProxy's two letters for how the session ended; the first is S if the server
   *     aborted it
   */
  public record Sent(int server, int status, String end) {}

  /** The protocol level at which it forwards. */
  public enum Manner {
    /** Forwards requests, which share kept connections. */
    REQUESTS,
    /**
     * Forwards requests, each on a connection of its own, because HAProxy neither logs nor answers
     * a client's second request if the server breaks the connection.
     */
    SINGLE_REQUESTS,
    /** Forwards connections, as a Kubernetes Service does. */
    CONNECTIONS
  }

  private static final String BACKEND = "gateways";

  /** State of a running server, in HAProxy's code. */
  private static final String RUNS = "2";

  private static final int AT_FIRST = 4;

  private final int port = RunningGateway.freePort();
  private final int commandPort = RunningGateway.freePort();
  private final Map<String, Sent> sent = new ConcurrentHashMap<>();
  private final Process process;

  private HaProxy(Path program, Path directory, List<Server> servers, Check check, Manner manner)
      throws IOException {
    Path file = directory.resolve("haproxy.cfg");
    Files.writeString(file, configuration(servers, check, manner));
    process =
        new ProcessBuilder(program.toString(), "-db", "-f", file.toString())
            .redirectErrorStream(true)
            .start();
    // HAProxy drops lines of its log while nobody reads, so the reader has a thread of its own
    Thread.ofPlatform()
        .daemon()
        .start(() -> process.inputReader(UTF_8).lines().forEach(this::logged));
    PatientWaits.await().ignoreException(UncheckedIOException.class).until(this::runs);
  }

  /** Returns the program if it is installed; otherwise skips the test with a message. */
  public static Path program() {
    Optional<Path> program = installed();
    if (program.isEmpty()) {
      System.out.println("no HAProxy is installed: replacing instances under load is not tested");
    }
    Assumptions.assumeTrue(program.isPresent(), "no HAProxy is installed");
    return program.orElseThrow();
  }

  private static Optional<Path> installed() {
    String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
    return Stream.of(path.split(File.pathSeparator))
        .map(directory -> Path.of(directory, "haproxy"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts a HAProxy that sends requests to no server yet. */
  static HaProxy start(
      Path program, Path directory, List<Server> servers, Check check, Manner manner) {
    try {
      return new HaProxy(program, directory, servers, check, manner);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String configuration(List<Server> servers, Check check, Manner manner) {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        global
          stats socket ipv4@127.0.0.1:%d level admin
          log stdout format raw local0
          maxconn 4000
        defaults
          mode %s
          %s
          log global
          timeout connect 60s
          timeout client 600s
          timeout server 600s
          # what is slow because the machine is busy is not taken for dead
          timeout check 30s
          # who cannot be connected to has got nothing: another one is asked
          retries 3
          option redispatch 1
        frontend clients
          bind 127.0.0.1:%d
          %s
          default_backend %s
        backend %s
          balance leastconn
          option httpchk
          http-check send meth GET uri %s ver HTTP/1.1 hdr Host 127.0.0.1
          http-check expect status 200
          default-server check inter %ds fall %d rise 1 disabled
        """
            .formatted(
                commandPort,
                manner == Manner.CONNECTIONS ? "tcp" : "http",
                manner == Manner.SINGLE_REQUESTS ? "option httpclose" : "",
                port,
                manner == Manner.CONNECTIONS ? "" : logging(),
                BACKEND,
                BACKEND,
                check.path(),
                check.everySeconds(),
                check.falls()));
    for (int i = 0; i < servers.size(); i++) {
      Server each = servers.get(i);
      text.append("  server %d 127.0.0.1:%d port %d\n".formatted(i, each.port(), each.checkPort()));
    }
    return text.toString();
  }

  private static String logging() {
    return "http-request capture req.hdr(%s) len 40\n".formatted(ID)
        + "  log-format \"SENT %[capture.req.hdr(0)] %s %ST %ts\"";
  }

  private void logged(String line) {
    String[] words = line.split(" ", -1);
    if (words.length == 5 && words[0].equals("SENT")) {
      int server = words[2].startsWith("<") ? -1 : Integer.parseInt(words[2]);
      sent.put(words[1], new Sent(server, Integer.parseInt(words[3]), words[4]));
    }
  }

  private boolean runs() {
    return command("show info").contains("Version");
  }

  /** Returns the port for clients. */
  public int port() {
    return port;
  }

  /** Puts a server into service once its health check succeeds. */
  void putIn(int server) {
    String it = "set server " + BACKEND + "/" + server;
    // otherwise it would be considered healthy at once
    command(it + " state ready; " + it + " health down");
  }

  /** Sends no new requests to a server, whatever its health is; running ones continue. */
  void takeOut(int server) {
    command("set server " + BACKEND + "/" + server + " state drain");
  }

  /** Returns whether a server gets requests. */
  boolean sendsTo(int server) {
    return command("show servers state " + BACKEND)
        .lines()
        .map(line -> line.split(" ", -1))
        .filter(words -> words.length > 6 && words[3].equals(Integer.toString(server)))
        .anyMatch(words -> words[5].equals(RUNS) && (Integer.parseInt(words[6]) & ~AT_FIRST) == 0);
  }

  /** Returns the outcome of a request, by its {@link #ID}; null while it is unknown. */
  public @Nullable Sent sent(String id) {
    return sent.get(id);
  }

  private String command(String words) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), commandPort)) {
      socket.getOutputStream().write((words + "\n").getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
