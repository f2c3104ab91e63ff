package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.GatewayServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/** A gateway that runs for a test, and its answers, byte for byte. */
public record StartedGateway(ConfigurableApplicationContext context, int port, int operatorPort)
    implements AutoCloseable {
  public static StartedGateway start(Path directory, String routes, String... arguments) {
    return startOn(0, directory, routes, arguments);
  }

  /** Starts one that shares limits through Redis, with a directory of its own. */
  public static StartedGateway sharing(
      Path own, String routes, RedisServer redis, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--penstock.redis.url=" + redis.url());
    return start(Files.createDirectory(own), routes, all.toArray(String[]::new));
  }

  public static StartedGateway startOn(
      int operatorPort, Path directory, String routes, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--server.port=0");
    all.add("--management.server.port=" + operatorPort);
    GatewayServer.Start start =
        GatewayServer.start(Map.of(), write(directory, routes), all.toArray(String[]::new));
    if (!(start instanceof GatewayServer.Started(ConfigurableApplicationContext context))) {
      throw new AssertionError("it did not start: " + start);
    }
    return of(context);
  }

  /** Returns a gateway that was started by other means. */
  public static StartedGateway of(ConfigurableApplicationContext context) {
    return new StartedGateway(
        context, port(context, "local.server.port"), port(context, "local.management.port"));
  }

  private static int port(ConfigurableApplicationContext context, String property) {
    return context.getEnvironment().getRequiredProperty(property, Integer.class);
  }

  public static Path write(Path directory, String routes) {
    try {
      return Files.writeString(directory.resolve("routes.yaml"), routes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static int freePort() {
    return RunningGateway.freePort();
  }

  /** Sends a request to the operator port; {@code request} as in {@code GET /path}. */
  public String operator(String request, String... headers) {
    return ask(operatorPort, request, headers);
  }

  /** Sends a request to the gateway's port. */
  public String gateway(String request, String... headers) {
    return ask(port, request, headers);
  }

  /** Returns the whole answer, head and body. */
  public static String ask(int port, String request, String... headers) {
    try (Socket socket = open(port, request, headers)) {
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a request and leaves its answer to be read. */
  public static Socket open(int port, String request, String... headers) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PatientWaits.LONGEST_MILLIS);
    List<String> lines = new ArrayList<>(List.of(request + " HTTP/1.1"));
    if (List.of(headers).stream().noneMatch(header -> header.startsWith("Host:"))) {
      lines.add("Host: 127.0.0.1:" + port);
    }
    lines.addAll(List.of(headers));
    lines.add("Connection: close");
    String head = String.join("\r\n", lines) + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(UTF_8));
    return socket;
  }

  public static BufferedReader lines(Socket socket) throws IOException {
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
  }

  @Override
  public void close() {
    LeftOver.stop(context);
  }
}
