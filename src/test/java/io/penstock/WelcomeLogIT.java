package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.PenstockCommands;
import io.penstock.fake.ProgramProcess;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.Environment;
import picocli.CommandLine;

/** Tests that the commands and addresses printed at the start work as they are printed. */
class WelcomeLogIT {
  private static final String DEMO =
      "endpoints: [{path: /demo, dialect: openai, upstreams: [{id: d, url: 'mock://openai'}]}]\n";
  private static final Path TLS = Path.of("src/test/resources/tls");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

  @TempDir private Path directory;

  private static List<String> lines(StartedGateway gateway) {
    WelcomeLog welcome = gateway.context().getBean(WelcomeLog.class);
    return Objects.requireNonNull(welcome.lines(gateway.context().getEnvironment()))
        .lines()
        .map(String::strip)
        .toList();
  }

  /**
   * Returns the addresses of the gateway and of the console, as the last line of a start has them.
   */
  private static List<String> addresses(StartedGateway gateway) {
    WelcomeLog welcome = gateway.context().getBean(WelcomeLog.class);
    Environment environment = gateway.context().getEnvironment();
    return List.of(welcome.gateway(environment), welcome.operator(environment) + "/console");
  }

  /** Returns the status of an answer; trusts the certificate of the tests. */
  private static int get(String address) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(TLS.resolve("upstream.pem"))) {
      trusted.setCertificateEntry(
          "a", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
    try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }

  /** Runs a curl command, as a shell would read it; returns the status. */
  private static int run(String line, Map<String, String> environment) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder();
    List<String> words = words(line, environment);
    assertThat(words).startsWith("curl", "-s");
    for (int i = 2; i < words.size(); i++) {
      switch (words.get(i)) {
        case "-H" -> {
          String[] header = words.get(++i).split(": ", 2);
          request.header(header[0], header[1]);
        }
        case "-d" -> request.POST(HttpRequest.BodyPublishers.ofString(words.get(++i)));
        default -> request.uri(URI.create(words.get(i)));
      }
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
    }
  }

  private static List<String> words(String line, Map<String, String> environment) {
    return WORD.matcher(line)
        .results()
        .map(
            word -> {
              if (word.group(1) != null) {
                return word.group(1);
              }
              String text = word.group(2) == null ? word.group(3) : word.group(2);
              return Pattern.compile("\\$(\\w+)")
                  .matcher(text)
                  .replaceAll(name -> Matcher.quoteReplacement(environment.get(name.group(1))));
            })
        .toList();
  }

  @Test
  void withoutKeys_linesNameNone() throws Exception {
    try (StartedGateway gateway = StartedGateway.start(directory, DEMO)) {
      List<String> lines = lines(gateway);
      assertThat(lines).hasSize(3);
      assertThat(String.join("", lines)).doesNotContain("PENSTOCK", "Bearer");
      assertThat(run(lines.getFirst(), Map.of())).isEqualTo(200);
      assertThat(run(lines.getLast(), Map.of())).isEqualTo(200);
    }
  }

  @Test
  void keysOfRouteFiles_areTakenFromTheEnvironment() throws Exception {
    String keys = "keys: [{name: a, sha256: " + KeySecrets.sha256("the-secret") + "}]\n";
    try (StartedGateway gateway = StartedGateway.start(directory, keys + DEMO)) {
      List<String> lines = lines(gateway);
      assertThat(lines).hasSize(4);
      assertThat(lines.getFirst()).startsWith("export PENSTOCK_KEY=").contains("route files");
      assertThat(lines.get(2)).contains("-H \"Authorization: Bearer $PENSTOCK_KEY\"");
      assertThat(run(lines.get(1), Map.of("PENSTOCK_KEY", "the-secret"))).isEqualTo(200);
      assertThat(run(lines.get(1), Map.of("PENSTOCK_KEY", "another"))).isEqualTo(401);
    }
  }

  @Test
  void keysThatAreStored_areMadeByTheLineThatSaysSo() throws Exception {
    Map<String, String> environment = Map.of("PENSTOCK_OPERATOR_TOKEN", "operators-own");
    try (StartedGateway gateway =
        StartedGateway.start(
            directory,
            DEMO,
            "--penstock.operator.token=operators-own",
            "--penstock.keys.store=file:" + directory.resolve("keys.db"))) {
      List<String> lines = lines(gateway);
      assertThat(String.join("", lines)).doesNotContain("operators-own");
      Matcher make =
          Pattern.compile("export PENSTOCK_KEY=\\$\\(penstock (.*)\\)").matcher(lines.getFirst());
      assertThat(make.matches()).isTrue();
      StringWriter out = new StringWriter();
      CommandLine line = PenstockCommands.commandLine(environment, address -> {});
      line.setOut(new PrintWriter(out)).setErr(new PrintWriter(new StringWriter()));
      assertThat(line.execute(make.group(1).split(" "))).isZero();
      String secret = out.toString().strip();
      assertThat(run(lines.get(1), Map.of("PENSTOCK_KEY", secret))).isEqualTo(200);
      assertThat(run(lines.getLast(), environment)).isEqualTo(200);
    }
  }

  @Test
  void keysThatAreRequiredWithoutAny_areAskedFor() {
    try (StartedGateway gateway =
        StartedGateway.start(directory, DEMO, "--penstock.keys.required=true")) {
      assertThat(lines(gateway)).hasSize(4);
    }
  }

  @Test
  void lastLineOfTheStart_namesGatewayAndConsole() throws Exception {
    Path routes = StartedGateway.write(directory, DEMO);
    try (ProgramProcess program = new ProgramProcess(routes)) {
      program.terminate();
      program.endsWell();
      assertThat(program.log().stream().takeWhile(line -> !line.contains("stopping: ")))
          .last()
          .asString()
          .matches(
              (".* ready: clients use http://127\\.0\\.0\\.1:%d, the console is"
                      + " http://127\\.0\\.0\\.1:\\d+/console, its page on refusals"
                      + " http://127\\.0\\.0\\.1:\\d+/console/reasons")
                  .formatted(program.port()));
    }
  }

  /** The operator port has the TLS settings of the gateway unless it has some of its own. */
  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true"})
  void addresses_withTls_saySo(boolean gatewayTls, boolean operatorTls) throws Exception {
    List<String> arguments = new ArrayList<>();
    for (String prefix : List.of("--server.ssl.", "--management.server.ssl.")) {
      boolean tls = prefix.startsWith("--management") ? operatorTls : gatewayTls;
      if (gatewayTls && operatorTls && prefix.startsWith("--management")) {
        break;
      }
      arguments.add(prefix + "enabled=" + tls);
      arguments.add(prefix + "certificate=file:" + TLS.resolve("upstream.pem"));
      arguments.add(prefix + "certificate-private-key=file:" + TLS.resolve("upstream-key.pem"));
    }
    try (StartedGateway gateway =
        StartedGateway.start(directory, DEMO, arguments.toArray(String[]::new))) {
      List<String> addresses = addresses(gateway);
      assertThat(addresses.getFirst()).startsWith(gatewayTls ? "https:" : "http:");
      assertThat(addresses.getLast()).startsWith(operatorTls ? "https:" : "http:");
      assertThat(get(addresses.getFirst() + "/nowhere")).isEqualTo(404);
      assertThat(get(addresses.getLast())).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 127.0.0.1, ''",
    "::, 127.0.0.1, ''",
    "127.0.0.2, 127.0.0.2, /operators",
    "localhost, localhost, ''"
  })
  void addresses_areThoseOfTheSettings(String address, String shown, String path) throws Exception {
    try (StartedGateway gateway =
        StartedGateway.start(
            directory,
            DEMO,
            "--server.address=" + address,
            "--management.server.address=" + address,
            "--management.server.base-path=" + path,
            "--penstock.keys.required=false",
            "--penstock.operator.token=operators-own")) {
      List<String> addresses = addresses(gateway);
      assertThat(addresses)
          .containsExactly(
              "http://%s:%d".formatted(shown, gateway.port()),
              "http://%s:%d%s/console".formatted(shown, gateway.operatorPort(), path));
      assertThat(get(addresses.getFirst() + "/nowhere")).isEqualTo(404);
      assertThat(get(addresses.getLast())).isEqualTo(200);
    }
  }

  @Test
  void withoutAnOperatorPort_noLineNeedsIt() {
    String store = "--penstock.keys.store=file:" + directory.resolve("keys.db");
    Path routes = StartedGateway.write(directory, DEMO);
    GatewayServer.Start start =
        GatewayServer.start(
            Map.of(), routes, "--server.port=0", "--management.server.port=-1", store);
    assertThat(start).isInstanceOf(GatewayServer.Started.class);
    try (var context = ((GatewayServer.Started) start).context()) {
      WelcomeLog welcome = context.getBean(WelcomeLog.class);
      assertThat(welcome.operator(context.getEnvironment())).isNull();
      assertThat(Objects.requireNonNull(welcome.lines(context.getEnvironment())).lines())
          .hasSize(3)
          .noneMatch(line -> line.contains("endpoints?") || line.contains("--attach"));
    }
  }

  @Test
  void withoutTheEndpoint_thereAreNone() {
    try (StartedGateway gateway = StartedGateway.start(directory, "endpoints: [{path: /a}]")) {
      WelcomeLog welcome = gateway.context().getBean(WelcomeLog.class);
      assertThat(welcome.lines(gateway.context().getEnvironment())).isNull();
    }
  }
}
