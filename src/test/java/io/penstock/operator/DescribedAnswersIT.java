package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import wiremock.com.networknt.schema.InputFormat;
import wiremock.com.networknt.schema.JsonSchemaFactory;
import wiremock.com.networknt.schema.SpecVersion;

/** Tests that the answers of the operator port match its own description. */
class DescribedAnswersIT {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String ROUTES =
      """
      groups: [{name: team, rpm: 100}]
      keys: [{name: filed, sha256: SHA, rpm: 5, models: {m: {rpm: 1}}}]
      models: {m: {price_per_mtok: {input: 1, output: 2}}}
      endpoints: [{path: /a}]
      """;

  @TempDir private static Path directory;
  private static StartedGateway gateway;
  private static JsonNode description;

  @BeforeAll
  static void start() throws Exception {
    gateway =
        StartedGateway.start(
            directory,
            ROUTES.replace("SHA", KeySecrets.sha256("filed")),
            "--penstock.keys.store=file:" + directory.resolve("keys.db"));
    description = ask("GET", "/openapi.json", "");
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static JsonNode ask(String method, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.operatorPort() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 204);
    return JsonMapper.shared().readTree(answer.body().isEmpty() ? "null" : answer.body());
  }

  private static JsonNode described(String path, String method, String inOut) {
    String pointer =
        "/paths/" + path.replace("/", "~1") + "/" + method + inOut + "/content/application~1json";
    JsonNode schema = description.at(pointer + "/schema");
    assertThat(schema.isObject()).as(pointer).isTrue();
    return schema;
  }

  /**
   * Checks that {@code body} matches the schema, and that the schema describes everything in it.
   */
  private static void assertFits(JsonNode schema, JsonNode body) {
    ObjectNode whole = ((ObjectNode) schema).deepCopy();
    whole.set("components", description.get("components"));
    assertThat(
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(whole.toString())
                .validate(body.toString(), InputFormat.JSON))
        .as("%s", body)
        .isEmpty();
  }

  private static JsonNode fits(String path, String method, String status, JsonNode answer) {
    assertFits(described(path, method, "/responses/" + status), answer);
    return answer;
  }

  private static JsonNode schemaOf(String name) {
    return description.at("/components/schemas/" + name);
  }

  private static List<String> required(String name) {
    List<String> required = new ArrayList<>();
    schemaOf(name).path("required").forEach(each -> required.add(each.asString()));
    return required;
  }

  private static final String ALL_TERMS =
      """
      {"rpm":1,"tpm":2,"rpd":3,"concurrency":4,
       "budget_tokens_per_day":5,"max_output_tokens":6,"light_rpm":7,
       "models":{"m":{"rpm":1},"n":{"tpm":2}},"group":"team",
       "allowed_models":["m"],"allowed_endpoints":["/a"],"calls":["weighed"],"priority":-1,"max_priority":2,
       "weight":3,"expires_at":"2127-01-31","on_limit":"wait","max_waiting":8,"max_output":"cap",
       "strict_after_denial":true,
       "sharing":"eventual"}
      """;

  @Test
  void keyInEveryStateOfItsLife_isAsDescribed() throws Exception {
    JsonNode plain = fits("/keys", "post", "201", ask("POST", "/keys", "{\"name\":\"plain\"}"));
    assertThat(plain.has("secret")).isTrue();
    String known = "{\"name\":\"known\",\"sha256\":\"" + KeySecrets.sha256("known") + "\"}";
    fits("/keys", "post", "201", ask("POST", "/keys", known));
    fits("/keys/{name}", "get", "200", ask("GET", "/keys/plain", ""));
    fits("/keys/{name}", "get", "200", ask("GET", "/keys/filed", ""));
    fits("/keys/{name}", "patch", "200", ask("PATCH", "/keys/plain", ALL_TERMS));
    fits("/keys/{name}/rotate", "post", "200", ask("POST", "/keys/plain/rotate", ""));
    fits("/keys/{name}", "get", "200", ask("GET", "/keys/plain", ""));
    JsonNode reset = ask("POST", "/keys/plain/reset-budget", "");
    assertThat(fits("/keys/{name}/reset-budget", "post", "200", reset).has("limits")).isTrue();
    JsonNode list = fits("/keys", "get", "200", ask("GET", "/keys", ""));
    assertThat(list.size()).isGreaterThanOrEqualTo(3);
    JsonNode first = list.get(0);
    assertThat(first.propertyNames()).containsExactlyInAnyOrderElementsOf(required("Key"));
  }

  @Test
  void everyTermThatIsDescribed_isUnderstood_andNullToo() throws Exception {
    JsonNode terms = JsonMapper.shared().readTree(ALL_TERMS);
    assertThat(terms.propertyNames())
        .containsExactlyInAnyOrderElementsOf(
            schemaOf("KeyTerms").get("properties").propertyNames());
    assertFits(described("/keys/{name}", "patch", "/requestBody"), terms);
    ObjectNode key = ((ObjectNode) terms).deepCopy().put("name", "full");
    assertFits(described("/keys", "post", "/requestBody"), key);
    JsonNode made = ask("POST", "/keys", key.toString());
    assertThat(made.path("on_limit").asString()).isEqualTo("wait");
    ObjectNode none = JsonMapper.shared().createObjectNode();
    terms.propertyNames().forEach(none::putNull);
    assertFits(described("/keys/{name}", "patch", "/requestBody"), none);
    JsonNode cleared = ask("PATCH", "/keys/full", none.toString());
    assertThat(cleared.path("on_limit").isNull()).isTrue();
    ObjectNode overlap = JsonMapper.shared().createObjectNode().put("overlap_seconds", 7_776_000);
    assertFits(described("/keys/{name}/rotate", "post", "/requestBody"), overlap);
    ask("POST", "/keys/full/rotate", overlap.toString());
  }

  @Test
  void ticketThatWaits_andOneThatWasRemoved_areAsDescribed() throws Exception {
    fits("/endpoints/pause", "post", "200", ask("POST", "/endpoints/pause?path=/a", ""));
    try (Socket waits = StartedGateway.open(gateway.port(), "GET /a", "x-api-key: filed")) {
      AtomicReference<JsonNode> listed = new AtomicReference<>();
      await()
          .untilAsserted(
              () -> {
                listed.set(ask("GET", "/tickets?path=/a", ""));
                assertThat(listed.get().size()).isEqualTo(1);
              });
      String one = "/tickets/" + fits("/tickets", "get", "200", listed.get()).get(0).get("id");
      fits("/tickets/{id}", "get", "200", ask("GET", one, ""));
      ask("DELETE", one, "");
      JsonNode removed = fits("/tickets/{id}", "get", "200", ask("GET", one, ""));
      assertThat(removed.path("limits").size()).isPositive();
      assertThat(removed.path("refusal").isObject()).isTrue();
      assertThat(new String(waits.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 503");
    }
    fits("/endpoints/resume", "post", "200", ask("POST", "/endpoints/resume?path=/a", ""));
    fits("/endpoints/test", "post", "200", ask("POST", "/endpoints/test?path=/a", ""));
  }

  @Test
  void usage_isAsDescribed_howeverItIsGrouped() throws Exception {
    assertThat(gateway.gateway("GET /a?tokens=7", "x-api-key: filed")).startsWith("HTTP/1.1 200");
    fits("/refusals", "get", "200", ask("GET", "/refusals", ""));
    fits("/instance", "get", "200", ask("GET", "/instance", ""));
    fits("/sharing", "get", "200", ask("GET", "/sharing", ""));
    fits("/version", "get", "200", ask("GET", "/version", ""));
    fits("/actuator/loggers", "get", "200", ask("GET", "/actuator/loggers", ""));
    JsonNode all = fits("/usage", "get", "200", ask("GET", "/usage", ""));
    assertThat(all.path("rows").size()).isPositive();
    for (String by : List.of("key", "group,model", "day")) {
      fits("/usage", "get", "200", ask("GET", "/usage?group_by=" + by, ""));
    }
  }

  @Test
  void answerWithSomethingMoreOrLess_doesNotFit() throws Exception {
    ObjectNode key = (ObjectNode) ask("GET", "/keys/filed", "");
    for (ObjectNode wrong :
        List.of(
            key.deepCopy().put("sha256", "x"),
            key.deepCopy().put("secret", "x"),
            key.deepCopy().put("weight", "1"),
            key.deepCopy().without("weight"))) {
      ObjectNode whole = ((ObjectNode) schemaOf("Key")).deepCopy();
      assertThat(
              JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                  .getSchema(whole.toString())
                  .validate(wrong.toString(), InputFormat.JSON))
          .as("%s", wrong)
          .hasSize(1);
    }
  }
}
