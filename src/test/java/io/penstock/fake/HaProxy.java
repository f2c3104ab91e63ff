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

/** The HAProxy that is installed here, before gateways whose health it asks for. */
public final class HaProxy implements AutoCloseable {
  /** The header by which requests are told apart in what it logs. */
  public static final String ID = "x-test-id";

  /**
   * A gateway it may send to.
   *
   * @param checkPort where its health is asked for
   */
  public record Server(int port, int checkPort) {}

  /**
   * How it asks for health.
   *
   * @param falls how often in a row the answer is no until it sends there no more
   */
  public record Check(String path, int everySeconds, int falls) {}

  /**
   * What became of a request.
   *
   * @param server where it went, by its place in the list; -1 where there was nobody to send to
   * @param end HAProxy's two letters for how it ended; the first is S where the server broke off
   */
  public record Sent(int server, int status, String end) {}

  /** What it knows of what it passes on. */
  public enum Manner {
    /** Requests, which take turns on connections that are kept. */
    REQUESTS,
    /**
     * Requests, each on connections of its own: what a server breaks off of a client's second
     * request HAProxy neither logs nor answers.
     */
    SINGLE_REQUESTS,
    /** Connections only, as a Service of Kubernetes. */
    CONNECTIONS
  }

  private static final String BACKEND = "gateways";

  /** States of servers, as it names them: up; and out because the configuration said so once. */
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
    Thread.ofVirtual().start(() -> process.inputReader(UTF_8).lines().forEach(this::logged));
    PatientWaits.await().ignoreException(UncheckedIOException.class).until(this::runs);
  }

  /** Returns it, if it is installed. Without it the test is skipped, and says so. */
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

  /** Starts one that sends to nobody yet. */
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
          timeout connect 2s
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

  /** Has a server be sent to once its health is good. */
  void putIn(int server) {
    String it = "set server " + BACKEND + "/" + server;
    command(it + " state ready; " + it + " health down"); // it would be believed to be well
  }

  /** Has nothing new be sent to a server, whatever its health is; what is under way goes on. */
  void takeOut(int server) {
    command("set server " + BACKEND + "/" + server + " state drain");
  }

  /** Returns whether requests are sent to a server. */
  boolean sendsTo(int server) {
    return command("show servers state " + BACKEND)
        .lines()
        .map(line -> line.split(" ", -1))
        .filter(words -> words.length > 6 && words[3].equals(Integer.toString(server)))
        .anyMatch(words -> words[5].equals(RUNS) && (Integer.parseInt(words[6]) & ~AT_FIRST) == 0);
  }

  /** Returns what became of a request, by its {@link #ID}; null while that is not known. */
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
