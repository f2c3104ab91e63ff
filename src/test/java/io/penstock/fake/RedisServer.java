package io.penstock.fake;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/**
 * A real Redis, in a process and on a port of its own, which tests may kill, suspend or restart.
 */
public final class RedisServer implements AutoCloseable {
  private static final int BUS_PORTS = 10_000;

  private final Path directory;
  private final Path program;
  private final int port;
  private final List<String> settings;
  private final boolean sentinel;
  private @Nullable Process process;
  private String login = "";

  private RedisServer(Path program, int port, boolean sentinel, List<String> settings) {
    this.program = program;
    this.port = port;
    this.sentinel = sentinel;
    this.settings = settings;
    try {
      directory = Files.createTempDirectory("penstock-redis");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start();
  }

  /**
   * Starts a server; by default it saves nothing.
   *
   * @param settings lines of its configuration, such as {@code requirepass secret}
   */
  public static RedisServer started(String... settings) {
    return started(Program.FILE, settings);
  }

  /** Starts another program in the same way as {@link #started(String...)}. */
  public static RedisServer started(Path program, String... settings) {
    return new RedisServer(program, RunningGateway.freePort(), false, List.of(settings));
  }

  /** Starts a sentinel; it has no settings but the given ones. */
  public static RedisServer sentinel(String... settings) {
    return new RedisServer(Program.FILE, RunningGateway.freePort(), true, List.of(settings));
  }

  /** Starts a node that can join a cluster, but has not yet. */
  public static RedisServer node(String... settings) {
    List<String> all = new ArrayList<>(List.of("cluster-enabled yes"));
    all.addAll(List.of(settings));
    return new RedisServer(Program.FILE, nodePort(), false, all);
  }

  /**
   * Returns a free port, for which the cluster port is free, too: nodes talk to each other on a
   * port with a fixed offset.
   */
  private static int nodePort() {
    while (true) {
      int port = RunningGateway.freePort();
      if (port + BUS_PORTS > 65_535) {
        port -= BUS_PORTS;
      }
      if (isFree(port) && isFree(port + BUS_PORTS)) {
        return port;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }

  /** Holder that starts the shared server on first use; it ends with the JVM. */
  private static final class Shared {
    static final RedisServer SERVER = started();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }

    private Shared() {}
  }

  /**
   * Returns the server shared by all harmless tests of this JVM; each test uses its own namespace.
   */
  public static RedisServer shared() {
    return Shared.SERVER;
  }

  private static final class Program {
    static final Path FILE = unpacked();

    private Program() {}

    private static Path unpacked() {
      try {
        return ExecutableProvider.newJarResourceProvider().get().toPath();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Returns the port, which stays the same across restarts. */
  public int port() {
    return port;
  }

  /** Returns its address, without a user. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** Sets the {@code AUTH} command with which this class logs in. */
  public RedisServer login(String... auth) {
    login = String.join(" ", auth);
    return this;
  }

  /** Starts it with its saved data, and waits until it answers. */
  public void start() {
    List<String> lines = new ArrayList<>(List.of("port " + port, "bind 127.0.0.1"));
    lines.addAll(List.of("dir " + directory, "daemonize no"));
    if (!sentinel) {
      lines.addAll(List.of("save \"\"", "appendonly no"));
    }
    lines.addAll(settings);
    try {
      Path file = directory.resolve("redis.conf");
      Files.write(file, lines);
      Path log = directory.resolve("redis.log");
      List<String> command = new ArrayList<>(List.of(program.toString(), file.toString()));
      if (sentinel) {
        command.add("--sentinel");
      }
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      awaitAnswer(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitAnswer(Path log) throws IOException {
    for (int tries = 0; tries < 24_000; tries++) {
      if (!running().isAlive()) {
        throw new IOException("Redis did not start: " + Files.readString(log));
      }
      try {
        ask("PING");
        return;
      } catch (IOException notYet) {
        LockSupport.parkNanos(10_000_000);
      }
    }
    throw new IOException("Redis does not answer: " + Files.readString(log));
  }

  private Process running() {
    Process last = process;
    if (last == null) {
      throw new IllegalStateException("Redis was never started");
    }
    return last;
  }

  /**
   * Runs a command; returns a string as it is, and the first line of any other reply, including its
   * type sign.
   */
  public String command(String... words) {
    try {
      return ask(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String ask(String... words) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(PatientWaits.LONGEST_MILLIS);
      OutputStream out = socket.getOutputStream();
      InputStream in = new BufferedInputStream(socket.getInputStream());
      if (!login.isEmpty()) {
        send(out, login.split(" "));
        line(in);
      }
      send(out, words);
      String first = line(in);
      if (!first.startsWith("$") || first.equals("$-1")) {
        return first;
      }
      int length = Integer.parseInt(first.substring(1));
      return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
  }

  private static void send(OutputStream out, String... words) throws IOException {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      int length = word.getBytes(StandardCharsets.UTF_8).length;
      text.append('$').append(length).append("\r\n").append(word).append("\r\n");
    }
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("Redis closed the connection");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  /** Returns the number of calls of a command since the start, by clients and scripts. */
  public long calls(String command) {
    String script =
        "return string.match(redis.call('INFO', 'commandstats'), 'cmdstat_"
            + command
            + ":calls=(%d+)') or '0'";
    return Long.parseLong(command("EVAL", script, "0"));
  }

  /** Saves its data, so that they are there after the next start. */
  public void save() {
    command("SAVE");
  }

  /** Saves its data and ends, so that all data are there after the next start. */
  public void end() {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      byteSocket.send("SHUTDOWN SAVE\r\n").awaitEnd();
    }
    PatientWaits.join(running().onExit());
  }

  /** Removes what it saved, so that nothing is there after the next start. */
  public void forget() {
    blockSaving(false);
  }

  /** Makes saving fail, as on a full disk, or work again. */
  public void blockSaving(boolean blocked) {
    Path file = directory.resolve("dump.rdb");
    try {
      Files.deleteIfExists(file);
      if (blocked) {
        Files.createDirectory(file); // a directory cannot be replaced by a file
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes all data. */
  public void flush() {
    command("FLUSHALL");
  }

  /** Kills it like {@code kill -9}: nothing is saved. */
  public void kill() {
    Process last = running();
    last.destroyForcibly();
    PatientWaits.join(last.onExit());
  }

  /** Kills it and starts it again, with the data that it saved last. */
  public void restart() {
    kill();
    start();
  }

  /** Suspends it like {@code kill -STOP}: connections stay open. */
  public void pause() {
    signal("-STOP");
  }

  /** Resumes it like {@code kill -CONT}. */
  public void resume() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", signal, String.valueOf(running().pid())).start();
      PatientWaits.join(kill.onExit());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
