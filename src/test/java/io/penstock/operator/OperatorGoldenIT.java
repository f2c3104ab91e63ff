package io.penstock.operator;

import static io.penstock.fake.RunningGateway.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.StartedGateway;
import io.penstock.fake.Transcript;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares the operator API with records: each route with each method, with good and with bad
 * input.
 */
@Tag(GoldenRecords.TAG)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OperatorGoldenIT {
  private static final String ROUTES =
      """
      groups: [{name: team, rpm: 100}]
      keys: [{name: filed, sha256: SHA(filed), rpm: 50, group: team}]
      models: {m: {rpm: 5, tpm: 1000, rpd: 50, price_per_mtok: {input: 1, output: 2}}}
      endpoints:
        - path: /chat
          dialect: openai
          upstreams: [{id: up, url: "mock://openai?tokens=4", rpm: 600, tpm: 100000}]
        - {path: /held, rate: 1000}
        - {path: /none, algorithm: none}
      """;

  private static final String JSON = "Content-Type: application/json";

  @TempDir private static Path directory;
  private static GoldenGateway gateway;

  @BeforeAll
  static void start() {
    gateway =
        new GoldenGateway(
            directory, ROUTES, "--penstock.keys.store=file:" + directory.resolve("keys.db"));
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static void ask(Transcript to, String... requests) {
    for (String request : requests) {
      to.ask(gateway.operatorPort(), request);
    }
  }

  private static void send(Transcript to, String request, String... bodies) {
    for (String body : bodies) {
      to.send(gateway.operatorPort(), request, body, JSON);
    }
  }

  /** Calls every route of the description with every method that it does not have. */
  @Test
  @Order(1)
  void methodsThatAreNotAllowed() throws Exception {
    Transcript all = gateway.transcript();
    JsonNode paths =
        JsonMapper.shared()
            .readTree(
                Files.readString(Path.of("src/main/resources/io/penstock/operator/openapi.json")))
            .path("paths");
    for (String path : paths.propertyNames()) {
      for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
        if (!paths.path(path).has(method.toLowerCase(java.util.Locale.ROOT))) {
          ask(all, method + " " + path.replaceAll("\\{\\w+}", "some"));
        }
      }
    }
    GoldenRecords.check("operator/methods.http", all.text());
  }

  @Test
  @Order(2)
  void requestsThatAreWrong() {
    Transcript all = gateway.transcript();
    ask(all, "GET /nothing", "GET /endpoints/a", "GET /actuator/env", "GET /actuator/nothing");
    ask(all, "GET /console/none.js", "GET /", "GET /keys?after=", "GET /keys?limit=x");
    all.ask(gateway.operatorPort(), "GET /config", "Host: evil.example");
    all.ask(gateway.operatorPort(), "GET /actuator/prometheus", "Host: evil.example");
    all.ask(gateway.operatorPort(), "POST /reload", "Origin: http://evil.example");
    all.ask(gateway.operatorPort(), "GET /actuator/prometheus", "Accept: image/png");
    GoldenRecords.check("operator/wrong-requests.http", all.text());
  }

  @Test
  @Order(3)
  void health() {
    Transcript all = gateway.transcript();
    ask(all, "GET /actuator/health/liveness", "GET /actuator/health/readiness");
    ask(all, "GET /actuator/health", "GET /actuator/info", "GET /version", "GET /instance");
    GoldenRecords.check("operator/health.http", all.text());
  }

  @Test
  @Order(3)
  void logLevels() {
    Transcript all = gateway.transcript();
    String category = "/actuator/loggers/io.penstock.keys";
    ask(all, "GET /actuator/loggers", "GET " + category, "GET /actuator/loggers/io.netty");
    send(
        all,
        "POST " + category,
        "{\"configuredLevel\":\"DEBUG\"}",
        "{\"configuredLevel\":\"TRACE\"}",
        "{\"configuredLevel\":\"OFF\"}",
        "{}",
        "x");
    ask(all, "GET " + category);
    send(all, "POST " + category, "{\"configuredLevel\":null}");
    String debug = "{\"configuredLevel\":\"DEBUG\"}";
    send(all, "POST /actuator/loggers/io.netty", debug);
    send(all, "POST /actuator/loggers/ROOT", debug);
    send(all, "POST /actuator/loggers/io.penstock", debug);
    GoldenRecords.check("operator/log-levels.http", all.text());
  }

  @Test
  @Order(4)
  void endpointsAndConfiguration() {
    Transcript all = gateway.transcript();
    ask(all, "GET /endpoints", "GET /endpoints?path=/held", "GET /endpoints?path=/nowhere");
    ask(all, "GET /endpoints?path=held", "GET /config", "GET /upstreams");
    for (String task : List.of("pause", "resume")) {
      String route = "POST /endpoints/" + task;
      ask(all, route + "?path=/held", route, route + "?path=/nowhere");
    }
    ask(all, "POST /endpoints/test?path=/none", "POST /endpoints/test");
    all.ask(gateway.operatorPort(), "POST /endpoints/test?path=/none", "x-penstock-key: filed");
    ask(all, "POST /endpoints/test?path=/nowhere");
    GoldenRecords.check("operator/endpoints.http", all.text());
  }

  @Test
  @Order(5)
  void tickets() {
    Transcript all = gateway.transcript();
    gateway.endpoint("/held").pause(true);
    String[] headers = {"x-penstock-key: filed", "x-request-id: mine-9"};
    try (ByteSocket waits = gateway.parked("/held", "GET /held?tokens=7", "", headers)) {
      ask(all, "GET /tickets?path=/held", "GET /tickets?path=/held&limit=0");
      ask(all, "GET /tickets?path=/held&limit=x", "GET /tickets?path=/nowhere", "GET /tickets");
      ask(all, "GET /tickets/mine-9", "GET /tickets/nobody", "GET /endpoints?path=/held");
      String number = "DELETE /tickets/" + gateway.ticket("/held");
      ask(all, "DELETE /tickets/mine-9", number, number, "DELETE /tickets/nobody");
      assertThat(waits.answer().status()).isEqualTo(503);
    } finally {
      gateway.endpoint("/held").pause(false);
    }
    ask(all, "GET /tickets/mine-9", "GET /tickets?path=/held", "GET /refusals");
    String text =
        all.text()
            .replaceAll("\"id\":\\d+", "\"id\":<number>")
            .replaceAll("DELETE /tickets/\\d+", "DELETE /tickets/<number>");
    GoldenRecords.check("operator/tickets.http", text);
  }

  @Test
  @Order(6)
  void keys() {
    Transcript all = gateway.transcript();
    ask(all, "GET /keys", "GET /keys/filed", "GET /keys/nobody");
    send(
        all,
        "POST /keys",
        "{\"name\":\"alice\",\"rpm\":60}",
        "{\"name\":\"alice\"}",
        "{\"name\":\"filed\"}",
        "{\"name\":\"bob\",\"sha256\":\"" + KeySecrets.sha256("bob") + "\"}",
        "{\"name\":\"eve\",\"sha256\":\"" + KeySecrets.sha256("bob") + "\"}",
        "{\"name\":\"a b\"}",
        "{\"name\":\"anonymous\"}",
        "{\"name\":\"c\",\"rpm\":-1}",
        "{\"name\":\"c\",\"rps\":1}",
        "{\"name\":\"c\",\"group\":\"nobody\"}",
        "{\"name\":\"c\",\"expires_at\":\"tomorrow\"}",
        "{\"name\":\"c\",\"priority\":5,\"max_priority\":4}",
        "{\"name\":\"c\",\"sha256\":\"hunter2\"}",
        "{}",
        "[]",
        "{\"name\":",
        "x".repeat(10));
    ask(all, "POST /keys");
    send(all, "PATCH /keys/alice", "{\"rpm\":120,\"on_limit\":\"wait\"}", "{\"x\":1}");
    send(all, "PATCH /keys/alice", "{\"rpm\":null}", "{\"name\":\"z\"}", "7");
    send(all, "PATCH /keys/nobody", "{}");
    send(all, "PATCH /keys/filed", "{}");
    send(all, "POST /keys/alice/rotate", "{\"overlap_seconds\":60}", "{\"overlap_seconds\":-1}");
    ask(all, "POST /keys/alice/rotate", "POST /keys/filed/rotate", "POST /keys/nobody/rotate");
    ask(all, "POST /keys/alice/reset-budget", "POST /keys/nobody/reset-budget");
    ask(all, "GET /keys/alice", "GET /keys", "DELETE /keys/alice", "DELETE /keys/alice");
    ask(all, "DELETE /keys/filed", "DELETE /keys/bob");
    GoldenRecords.check("operator/keys.http", all.text());
  }

  @Test
  @Order(7)
  void decisions() {
    Transcript all = gateway.transcript();
    ask(all, "GET /quotas", "GET /quotas?model=m", "GET /quotas?model=none");
    for (String route : List.of("decide", "wait", "reservations")) {
      String ask = "POST /quotas/" + route;
      send(all, ask + "?model=none", "{\"tokens\":5}");
      send(all, ask + "?model=m", "{\"tokens\":5000}", "{\"tokens\":-1}", "{\"tokens\":\"x\"}");
      send(all, ask + "?model=m", "{}", "[", "{\"tokens\":1,\"more\":2}");
      send(all, ask, "{\"tokens\":5}");
    }
    send(all, "POST /quotas/decide?model=m", "{\"tokens\":900}");
    send(all, "POST /quotas/wait?model=m", "{\"tokens\":5,\"timeout_ms\":-1}");
    send(all, "POST /quotas/usage?model=m", "{\"prompt_tokens\":700,\"output_tokens\":100}");
    send(all, "POST /quotas/usage?model=m", "{\"prompt_tokens\":-1}", "{}");
    send(all, "POST /quotas/decide?model=m", "{\"tokens\":900}", "{\"tokens\":100}");
    send(all, "POST /quotas/wait?model=m", "{\"tokens\":900,\"timeout_ms\":1}");
    send(all, "POST /quotas/reservations?model=m", "{\"tokens\":900}", "{\"tokens\":100}");
    send(all, "PUT /reservations/none", "{\"prompt_tokens\":1,\"output_tokens\":1}");
    ask(all, "DELETE /reservations/none", "GET /quotas?model=m");
    ask(all, "DELETE /quotas/usage?model=m", "DELETE /quotas/usage?model=none");
    send(all, "PUT /quotas?model=m", "{\"max_rpm\":9}", "{\"max_rpm\":-1}", "{\"x\":1}", "{}");
    ask(all, "DELETE /quotas/override?model=m", "DELETE /quotas/override?model=m");
    ask(all, "DELETE /quotas/override", "POST /providers/local", "POST /providers/none");
    ask(all, "POST /providers/anthropic", "GET /quotas", "DELETE /quotas/usage");
    GoldenRecords.check("operator/decisions.http", all.text());
  }

  @Test
  @Order(8)
  void reservations() {
    Transcript all = gateway.transcript();
    String made =
        gateway
            .started()
            .operator("POST /quotas/reservations?model=claude-sonnet-4", "Content-Length: 0");
    assertThat(made).startsWith("HTTP/1.1 400");
    for (String method : List.of("PUT", "DELETE")) {
      String reserve = "POST /quotas/reservations?model=m";
      try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
        String sent = Transcript.wireForm(gateway.operatorPort(), reserve, "{\"tokens\":10}", JSON);
        String body = byteSocket.send(sent).answer().text();
        String id = JsonMapper.shared().readTree(body).path("id").asString();
        String body2 = method.equals("PUT") ? "{\"prompt_tokens\":4,\"output_tokens\":2}" : "";
        all.send(gateway.operatorPort(), method + " /reservations/" + id, body2, JSON);
        all.send(gateway.operatorPort(), method + " /reservations/" + id, body2, JSON);
      }
    }
    GoldenRecords.check(
        "operator/reservations.http",
        all.text().replaceAll("/reservations/\\S+", "/reservations/<id>"));
  }

  @Test
  @Order(9)
  void countsOfTokens() {
    String hello = "{\"provider\":\"openai\",\"model\":\"gpt-4o\",\"text\":\"Hello, world\"}";
    gateway.awaitTokenizer(hello);
    Transcript all = gateway.transcript();
    send(
        all,
        "POST /tokens/count",
        hello,
        "{\"provider\":\"anthropic\",\"model\":\"m\",\"text\":\"Hello, world\"}",
        "{\"provider\":\"gemini\",\"model\":\"m\",\"body\":{\"contents\":[{\"parts\":[{\"text\":\"Hi\"}]}]}}",
        "{\"provider\":\"none\",\"model\":\"m\",\"text\":\"Hi\"}",
        "{\"provider\":\"openai\",\"model\":\"m\",\"text\":\"Hi\",\"exact\":true}",
        "{\"provider\":\"openai\",\"text\":\"Hi\"}",
        "{\"provider\":\"openai\",\"model\":\"m\"}",
        "{\"provider\":\"openai\",\"model\":\"m\",\"text\":\"Hi\",\"body\":{}}",
        "{}",
        "[",
        "{\"provider\":\"openai\",\"model\":\"m\",\"text\":\"Hi\",\"more\":1}");
    GoldenRecords.check("operator/token-counts.http", all.text());
  }

  @Test
  @Order(10)
  void usage() {
    Transcript all = gateway.transcript();
    String[] headers = {"x-penstock-key: filed", "x-request-id: mine-10"};
    String chat =
        "{\"model\":\"m\",\"max_tokens\":4,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    gateway.transcript().send(gateway.port(), "POST /chat/v1/chat/completions", chat, headers);
    awaiting()
        .untilAsserted(
            () ->
                assertThat(gateway.started().operator("GET /usage?group_by=model"))
                    .contains("\"m\""));
    for (String by : List.of("key", "group", "model", "endpoint", "upstream", "hour", "none")) {
      ask(all, "GET /usage?group_by=" + by);
    }
    ask(all, "GET /usage", "GET /usage?from=yesterday", "GET /usage?from=2026-01-02&to=2026-01-01");
    all.ask(gateway.operatorPort(), "GET /usage?group_by=key,model", "Accept: text/csv");
    String text =
        all.text()
            .replaceAll("\"(from|to|day)\":\"\\d{4}-\\d\\d-\\d\\d\"", "\"$1\":\"<day>\"")
            .replaceAll("(?m)^\\d{4}-\\d\\d-\\d\\d,", "<day>,");
    GoldenRecords.check("operator/usage.http", text);
  }

  @Test
  @Order(11)
  void descriptions() {
    Transcript all = gateway.transcript();
    ask(all, "GET /openapi.json", "GET /openapi/coordination.json");
    GoldenRecords.check("operator/descriptions.http", all.text());
  }

  @Test
  @Order(12)
  void reloads() throws IOException {
    Transcript all = gateway.transcript();
    ask(all, "POST /reload");
    StartedGateway.write(directory, GoldenGateway.hashed(ROUTES) + "  - {path: /more}\n");
    ask(all, "POST /reload");
    StartedGateway.write(directory, GoldenGateway.hashed(ROUTES) + "  - {pat: /more}\n");
    ask(all, "POST /reload");
    GoldenRecords.check("operator/reloads.http", all.text());
  }
}
