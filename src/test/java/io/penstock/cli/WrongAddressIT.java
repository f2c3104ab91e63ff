package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import reactor.netty.DisposableServer;

/** Tests what the commands say when something other than an operator port is at the address. */
class WrongAddressIT {
  private static final Path TLS = Path.of("src/test/resources/tls");
  private static final String TOKEN = "an-operators-token";

  /** Commands that reach the port in each of the client's ways. */
  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("keys", "list"),
          List.of("keys", "new", "--name=a"),
          List.of("keys", "update", "a", "--rpm=1"),
          List.of("keys", "revoke", "a"),
          List.of("why", "1"),
          List.of("usage"),
          List.of("top", "--once"));

  @TempDir private Path directory;

  /** Exit code and output of a command. */
  private record Ran(int exit, String out, String err) {}

  private static Ran run(List<String> command, Object... more) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(command);
    for (Object each : more) {
      all.add(each.toString());
    }
    CommandLine line =
        command.getFirst().equals("top")
            ? PenstockCommands.top(Map.of(), () -> java.time.Instant.EPOCH)
            : PenstockCommands.commandLine(Map.of(), address -> {});
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return new Ran(line.execute(all.toArray(String[]::new)), out.toString(), err.toString());
  }

  /** Checks that all commands print one line, which is returned, and exit with 1. */
  private static String refused(String address) {
    List<String> said = new ArrayList<>();
    for (List<String> command : COMMANDS) {
      Ran ran = run(command, "--attach=" + address);
      assertThat(ran.err()).as("%s", command).hasLineCount(1).doesNotContain("Exception");
      assertThat(ran.out()).as("%s", command).isEmpty();
      assertThat(ran.exit()).as("%s", command).isEqualTo(1);
      said.add(ran.err().strip());
    }
    assertThat(said).containsOnly(said.getFirst());
    return said.getFirst();
  }

  private static String local(int port) {
    return "http://127.0.0.1:" + port;
  }

  private static String answeredWith(int status, String type, String text) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", type);
          exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"intranet\"");
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(status, text.length());
          exchange.getResponseBody().write(text.getBytes(UTF_8));
          exchange.close();
        });
    server.start();
    try {
      String address = local(server.getAddress().getPort());
      return refused(address).replace(address, "ADDRESS");
    } finally {
      server.stop(0);
    }
  }

  /** Runs a server that answers each connection with some bytes and closes it. */
  private static String answeredWithBytes(String text) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(
              () -> {
                while (!server.isClosed()) {
                  try (Socket socket = server.accept()) {
                    assertThat(socket.getInputStream().read()).isNotNegative();
                    socket.getOutputStream().write(text.getBytes(UTF_8));
                  } catch (IOException closed) {
                    assertThat(closed).isNotNull();
                  }
                }
              });
      String address = local(server.getLocalPort());
      return refused(address).replace(address, "ADDRESS");
    }
  }

  @Test
  void otherHttpServer_isNamedByItsAnswer() throws Exception {
    assertThat(answeredWith(200, "text/html", "<p>Hello"))
        .isEqualTo(
            "ADDRESS is no operator port of a gateway: a server there answers with status 200 and"
                + " content of type text/html");
    assertThat(answeredWith(404, "application/json", "{\"error\":\"Not Found\"}"))
        .endsWith("answers with status 404 and content of type application/json");
    assertThat(answeredWith(401, "text/plain", "who?"))
        .endsWith("status 401 and content of type text/plain");
    assertThat(answeredWith(302, "text/html", "there")).contains("answers with status 302");
    assertThat(answeredWith(503, "text/html", "later")).contains("answers with status 503");
    assertThat(answeredWith(200, "application/json", "{not")).contains("status 200");
  }

  @Test
  void otherJsonServer_isNoOperatorPort() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("{}".getBytes(UTF_8));
          exchange.close();
        });
    server.start();
    try {
      String attach = "--attach=" + local(server.getAddress().getPort());
      for (List<String> command : List.of(COMMANDS.getFirst(), COMMANDS.getLast())) {
        Ran ran = run(command, attach);
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).hasLineCount(1).contains("answers with other JSON");
      }
    } finally {
      server.stop(0);
    }
  }

  @Test
  void portForClients_isRecognized() {
    String keyed =
        "keys: [{name: k, sha256: " + KeySecrets.sha256("s") + "}]\nendpoints: [{path: /a}]";
    for (String routes :
        List.of("endpoints: [{path: /a}]", "endpoints: [{path: /, rate: 1000}]", keyed)) {
      try (StartedGateway gateway = StartedGateway.start(directory, routes)) {
        assertThat(refused(local(gateway.port())))
            .as(routes)
            .startsWith(local(gateway.port()) + " is the port of a gateway for its clients")
            .contains("--operator-port", "8081");
      }
    }
  }

  @Test
  void tokenThatIsMissingOrWrong_isSaidSo() {
    try (StartedGateway gateway =
        StartedGateway.start(
            directory, "endpoints: [{path: /a}]", "--penstock.operator.token=" + TOKEN)) {
      assertThat(refused(local(gateway.operatorPort())))
          .isEqualTo(
              "the operator port asks for a token: give --token, or set PENSTOCK_OPERATOR_TOKEN");
      Ran ran =
          run(COMMANDS.getFirst(), "--attach=" + local(gateway.operatorPort()), "--token=other");
      assertThat(ran.err()).hasLineCount(1).startsWith("the operator port refuses the token");
    }
  }

  @Test
  void tlsWherePlainIsExpected_andTheReverse_areSaid() throws Exception {
    SslContext context =
        SslContextBuilder.forServer(
                TLS.resolve("upstream.pem").toFile(), TLS.resolve("upstream-key.pem").toFile())
            .build();
    DisposableServer server =
        reactor.netty.http.server.HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .secure(secure -> secure.sslContext(context))
            .handle((request, response) -> response.send())
            .bindNow();
    try {
      assertThat(refused(local(server.port())))
          .isEqualTo(local(server.port()) + " expects TLS: write https:// in --attach");
      assertThat(refused("https://127.0.0.1:" + server.port()))
          .startsWith("Java does not trust the certificate of https://127.0.0.1:")
          .contains("JAVA_OPTS", "-Djavax.net.ssl.trustStore=FILE");
    } finally {
      server.disposeNow();
    }
    try (StartedGateway gateway = StartedGateway.start(directory, "endpoints: [{path: /a}]")) {
      String address = "https://127.0.0.1:" + gateway.operatorPort();
      assertThat(refused(address))
          .isEqualTo(address + " answers without TLS: write http:// in --attach");
    }
  }

  @Test
  void serverOfAnotherProtocol_isNoHttpServer() throws Exception {
    assertThat(answeredWithBytes("-ERR unknown command\r\n"))
        .isEqualTo(
            "something other than an HTTP server answers at ADDRESS: is --attach the operator port"
                + " of a gateway?");
    assertThat(answeredWithBytes("")).startsWith("the connection to ADDRESS broke");
  }

  @Test
  void nobody_isOneLine() {
    assertThat(refused(local(StartedGateway.freePort()))).startsWith("nobody answers at http://");
  }

  @Test
  void hostThatIsNone_isNamed() {
    OperatorClient.Failed failed =
        new UnreachableAddress(URI.create("http://gatway:8081"))
            .failure(new UnknownHostException("gatway"));
    assertThat(failed).hasMessage("there is no host gatway: is --attach spelled right?");
  }
}
