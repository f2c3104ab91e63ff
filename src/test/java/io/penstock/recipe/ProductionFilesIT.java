package io.penstock.recipe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.ProgramProcess;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Starts the program with the arguments and the environment of the files for systemd and Compose,
 * calls it as its clients and Prometheus do, and checks what these files publish.
 */
class ProductionFilesIT {
  static final Path COMPOSE = Path.of("k8s", "compose", "compose.yaml");

  private static final Path SYSTEMD = Path.of("k8s", "systemd");
  private static final String PROGRAM = "/opt/penstock/penstock";
  private static final String TOKEN = "the-token-of-this-operator";
  private static final String PASSWORD = "the-password-of-this-redis";

  @TempDir private Path directory;
  private final RawUpstream provider = RawUpstream.start(RawUpstream.answering(RecipeGateway.CHAT));
  private final Map<String, String> values = new HashMap<>();
  private Path routes = Path.of("");

  @BeforeEach
  void prepare() throws IOException {
    String shipped = Files.readString(RecipeGateway.file("production"));
    values.putAll(RecipeGateway.variables(shipped));
    values.putAll(
        Map.of(
            "PENSTOCK_OPERATOR_TOKEN", TOKEN,
            "REDIS_PASSWORD", PASSWORD,
            "GRAFANA_PASSWORD", "the-password-of-this-grafana"));
    routes = Files.createDirectory(directory.resolve("routes"));
    Files.writeString(routes.resolve("production.yaml"), RecipeGateway.routes(shipped, provider));
  }

  @AfterEach
  void stop() {
    provider.close();
  }

  private List<String> settings(String file, String key) throws IOException {
    return Files.readAllLines(SYSTEMD.resolve(file)).stream()
        .filter(line -> line.startsWith(key + "="))
        .map(line -> line.substring(key.length() + 1))
        .toList();
  }

  /** Asks with a key of a client, or without one. */
  private static int chat(ProgramProcess program, String authorization) {
    String body = RecipeGateway.ask("gpt-4o", 50);
    return ask(
            program.port(),
            "POST /openai/v1/chat/completions",
            "127.0.0.1",
            authorization + "Content-Type: application/json\r\n",
            body)
        .status();
  }

  private static HttpMessage ask(
      int port, String request, String host, String headers, String body) {
    try (ByteSocket socket = ByteSocket.to(port)) {
      return socket
          .send(
              "%s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s"
                  .formatted(request, host, headers, body.length(), body))
          .answer();
    }
  }

  private static String bearer(String secret) {
    return "Authorization: Bearer " + secret + "\r\n";
  }

  private static void assertServesItsKeyAlone(ProgramProcess program) {
    assertThat(chat(program, bearer(RecipeGateway.secret("first-application")))).isEqualTo(200);
    assertThat(chat(program, "")).isEqualTo(401);
    assertThat(ask(program.operatorPort(), "GET /config", "127.0.0.1", "", "").status())
        .isEqualTo(401);
  }

  private static void endsWithoutAWarning(ProgramProcess program) {
    program.terminate();
    program.endsWell();
    assertThat(program.log()).isNotEmpty().noneMatch(line -> line.contains(" WARN "));
  }

  @Test
  void unit_startsAGatewayWithKeysAndState() throws Exception {
    List<String> words =
        new ArrayList<>(List.of(settings("penstock.service", "ExecStart").getFirst().split(" ")));
    assertThat(words.removeFirst()).isEqualTo(PROGRAM);
    words.replaceAll(
        word ->
            word.replace("/etc/penstock/routes", routes.toString())
                .replace("/var/lib/penstock", directory.toString()));
    Map<String, String> environment = new HashMap<>();
    for (String line : Files.readAllLines(SYSTEMD.resolve("penstock.env"))) {
      if (!line.startsWith("#")) {
        assertThat(line).as("no value is shipped").endsWith("=");
        String name = line.replace("=", "");
        environment.put(name, values.get(name));
      }
    }
    try (ProgramProcess program = new ProgramProcess(environment, words)) {
      assertServesItsKeyAlone(program);
      endsWithoutAWarning(program);
    }
    assertThat(directory.resolve("state.db")).isNotEmptyFile();
  }

  @Test
  void unit_keepsTheOperatorPortOnTheLoopback_andWaitsForAnswers() throws IOException {
    assertThat(settings("penstock.service", "ExecStart").getFirst())
        .doesNotContain("operator", "management");
    assertThat(Integer.parseInt(settings("penstock.service", "TimeoutStopSec").getFirst()))
        .isGreaterThan(630); // penstock.drain-timeout and penstock.stream-drain-timeout
    assertThat(settings("penstock.service", "RestartPreventExitStatus")).containsExactly("2");
  }

  @Test
  void unit_isVerifiedBySystemd() throws Exception {
    Path program = Files.createFile(directory.resolve("penstock"));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    String unit = Files.readString(SYSTEMD.resolve("penstock.service"));
    Path copy =
        Files.writeString(
            directory.resolve("penstock.service"), unit.replace(PROGRAM, program.toString()));
    Process verify;
    try {
      verify =
          new ProcessBuilder("systemd-analyze", "verify", copy.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException missing) {
      System.out.println("The unit of systemd is not verified: " + missing.getMessage());
      Assumptions.abort("no systemd-analyze in PATH");
      return;
    }
    String said = new String(verify.getInputStream().readAllBytes(), UTF_8);
    assertThat(verify.waitFor()).as(said).isZero();
    assertThat(said).doesNotContain("penstock.service");
  }

  private static JsonNode yaml(String text) {
    Object loaded = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
    return JsonMapper.shared().valueToTree(loaded);
  }

  private JsonNode compose() throws IOException {
    String text = Files.readString(COMPOSE);
    for (Map.Entry<String, String> value : values.entrySet()) {
      text = text.replace("${" + value.getKey() + ":?}", value.getValue());
    }
    assertThat(Pattern.compile("(?<!\\$)\\$\\{(\\w+)").matcher(text).results())
        .as("what has a default")
        .extracting(match -> match.group(1))
        .containsExactly("PENSTOCK_IMAGE");
    return yaml(text);
  }

  @Test
  void compose_startsAGatewayThatPrometheusMayRead() throws Exception {
    JsonNode service = compose().at("/services/penstock");
    List<String> words = new ArrayList<>();
    service
        .path("command")
        .forEach(word -> words.add(word.asString().replace("/etc/penstock/routes", "" + routes)));
    Map<String, String> environment = new HashMap<>();
    service
        .path("environment")
        .properties()
        .forEach(each -> environment.put(each.getKey(), each.getValue().asString()));
    JsonNode scrape =
        yaml(Files.readString(Path.of("k8s", "compose", "prometheus.yaml")))
            .at("/scrape_configs/0");
    String target = scrape.at("/static_configs/0/targets/0").asString();
    String metrics = "GET " + scrape.path("metrics_path").asString();
    try (RedisServer redis = RedisServer.started("requirepass " + PASSWORD)) {
      environment.computeIfPresent(
          "PENSTOCK_REDIS_URL", (_, url) -> url.replace("redis:6379", "127.0.0.1:" + redis.port()));
      try (ProgramProcess program = new ProgramProcess(environment, words)) {
        assertServesItsKeyAlone(program);
        assertThat(ask(program.operatorPort(), metrics, target, "", "").status()).isEqualTo(401);
        HttpMessage scraped = ask(program.operatorPort(), metrics, target, bearer(TOKEN), "");
        assertThat(scraped.text()).contains("penstock_queue_depth", "penstock_sync_seconds");
        endsWithoutAWarning(program);
      }
    }
  }

  @Test
  void compose_publishesNoOperatorPort_andMountsFilesThatExist() throws IOException {
    JsonNode services = compose().path("services");
    List<String> ports = new ArrayList<>();
    List<String> volumes = new ArrayList<>();
    for (JsonNode service : services) {
      service.path("ports").forEach(port -> ports.add(port.asString()));
      service.path("volumes").forEach(volume -> volumes.add(volume.asString()));
    }
    assertThat(ports).containsExactlyInAnyOrder("8080:8080", "127.0.0.1:3000:3000");
    Stream<Path> files =
        volumes.stream()
            .filter(volume -> volume.startsWith("."))
            .map(volume -> COMPOSE.resolveSibling(volume.split(":", 2)[0]));
    assertThat(files).hasSize(6).allMatch(Files::isRegularFile);
  }
}
