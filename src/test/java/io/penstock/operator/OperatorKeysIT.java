package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.time.WallClock;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class OperatorKeysIT {
  private static final String PERMITS = "endpoints: [{path: /a}]";
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path directory;
  private static StartedGateway gateway;

  private final String name = "key-" + NUMBER.incrementAndGet();

  /** An answer of the operator port. */
  private record Answer(int status, String text, HttpResponse<String> response) {
    JsonNode json() {
      return JsonMapper.shared().readTree(text);
    }

    String detail() {
      return json().path("detail").asString();
    }

    String secret() {
      return json().path("secret").asString();
    }
  }

  @BeforeAll
  static void start() {
    gateway =
        StartedGateway.start(
            directory, PERMITS, "--penstock.keys.store=file:" + directory.resolve("keys.db"));
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static Answer ask(String method, String path, String body) throws Exception {
    return ask(gateway, method, path, body);
  }

  private static Answer ask(StartedGateway of, String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + of.operatorPort() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body(), response);
  }

  private Answer make(String more) throws Exception {
    Answer made = ask("POST", "/keys", "{\"name\":\"" + name + "\"" + more + "}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made;
  }

  private static @Nullable ApiCaller caller(String secret) {
    return gateway.context().getBean(KeyRegistry.class).caller(secret, 1_800_000_000_000L);
  }

  @Test
  void keyMade_isKnownAtOnceAndItsSecretIsToldOnce() throws Exception {
    Answer made = make(",\"rpm\":60,\"allowed_models\":[\"m\"]");
    assertThat(made.response().headers().firstValue("Location")).hasValue("/keys/" + name);
    assertThat(made.response().headers().firstValue("Cache-Control")).hasValue("no-store");
    String secret = made.secret();
    assertThat(KeySecrets.looksLikeKey(secret)).isTrue();
    assertThat(caller(secret))
        .satisfies(
            apiCaller -> {
              assertThat(apiCaller.spec().name()).isEqualTo(name);
              assertThat(apiCaller.spec().terms().limits().rpm()).isEqualTo(60);
            });
    for (String path : new String[] {"/keys", "/keys/" + name}) {
      Answer shown = ask("GET", path, "");
      assertThat(shown.status()).isEqualTo(200);
      assertThat(shown.text())
          .contains("\"name\":\"" + name + "\",\"source\":\"store\",\"rpm\":60")
          .doesNotContain("secret\":", "sha256", secret, KeySecrets.sha256(secret));
    }
  }

  @Test
  void keyShown_hasTheNamesOfRouteFiles() throws Exception {
    Answer made = make("");
    String created = made.json().required("created_at").asString();
    assertThat(Instant.parse(created).toEpochMilli())
        .isBetween(gateway.context().getStartupDate(), WallClock.system().unixMillis());
    assertThat(ask("GET", "/keys/" + name, "").text())
        .isEqualTo(
            "{\"name\":\""
                + name
                + "\",\"source\":\"store\",\"rpm\":0,\"tpm\":0,"
                + "\"rpd\":0,\"concurrency\":0,\"budget_tokens_per_day\":0,"
                + "\"max_output_tokens\":0,\"light_rpm\":600,\"models\":{},\"group\":null,\"allowed_models\":null,"
                + "\"allowed_endpoints\":null,\"calls\":null,\"priority\":0,\"max_priority\":0,\"weight\":1,"
                + "\"expires_at\":null,\"on_limit\":null,\"max_waiting\":100,"
                + "\"max_output\":null,\"strict_after_denial\":false,"
                + "\"sharing\":null,\"created_at\":\""
                + created
                + "\",\"previous_secret_until\":null,\"last_used_at\":null,"
                + "\"limits\":[],\"refused_last_hour\":{}}\n");
  }

  @Test
  void keyThatWasUsed_tellsWhatIsLeft_andWhatWasRefused() throws Exception {
    String terms = ",\"rpm\":2,\"budget_tokens_per_day\":500,\"on_limit\":\"reject\"";
    String header = "Authorization: Bearer " + make(terms).secret();
    JsonNode unused = ask("GET", "/keys/" + name, "").json();
    assertThat(unused.path("limits").path(0).path("used").asLong()).isZero();
    assertThat(unused.path("limits").path(0).path("resets_at").isNull()).isTrue();
    assertThat(unused.path("refused_last_hour").isEmpty()).isTrue();
    assertThat(gateway.gateway("GET /a", header)).startsWith("HTTP/1.1 200");
    assertThat(gateway.gateway("GET /a", header)).startsWith("HTTP/1.1 200");
    assertThat(gateway.gateway("GET /a", header)).startsWith("HTTP/1.1 429");
    Answer shown = ask("GET", "/keys/" + name, "");
    JsonNode rpm = shown.json().path("limits").path(0);
    assertThat(rpm.toString())
        .startsWith(
            "{\"owner\":\"key "
                + name
                + "\",\"reason\":\"key_rpm\",\"allows\":\"2 requests a minute\","
                + "\"limit\":2,\"used\":2,\"left\":0,\"resets_at\":\"2")
        .endsWith("Z\",\"shared\":false}");
    assertThat(Instant.parse(rpm.path("resets_at").asString()))
        .isBefore(Instant.ofEpochMilli(WallClock.system().unixMillis()).plusSeconds(61));
    assertThat(shown.text()).contains("\"allows\":\"500 tokens a day\",\"limit\":500");
    assertThat(shown.json().path("refused_last_hour").toString()).isEqualTo("{\"key_rpm\":1}");
    assertThat(ask("GET", "/keys", "").text()).doesNotContain("refused_last_hour");
  }

  @Test
  void budgetThatIsReset_isWholeAgain_andOneThatIsNot_is409() throws Exception {
    String terms = ",\"budget_tokens_per_day\":5,\"on_limit\":\"reject\"";
    String header = "Authorization: Bearer " + make(terms).secret();
    String reset = "/keys/" + name + "/reset-budget";
    assertThat(gateway.gateway("GET /a?tokens=5", header)).startsWith("HTTP/1.1 200");
    assertThat(gateway.gateway("GET /a?tokens=5", header)).startsWith("HTTP/1.1 429");
    Answer whole = ask("POST", reset, "");
    assertThat(whole.status()).as(whole.text()).isEqualTo(200);
    assertThat(whole.text()).contains("\"limit\":5,\"used\":0,\"left\":5,\"resets_at\":null");
    assertThat(gateway.gateway("GET /a?tokens=5", header)).startsWith("HTTP/1.1 200");
    assertThat(gateway.gateway("GET /a?tokens=5", header)).startsWith("HTTP/1.1 429");
    ask("PATCH", "/keys/" + name, "{\"budget_tokens_per_day\":null}");
    Answer none = ask("POST", reset, "");
    assertThat(none.status()).isEqualTo(409);
    assertThat(none.detail()).isEqualTo("this key has no budget");
    assertThat(ask("POST", "/keys/nobody/reset-budget", "").status()).isEqualTo(404);
    assertThat(ask("GET", reset, "").status()).isEqualTo(405);
  }

  @Test
  void keyCreatedAgain_isShownByItsNameAlone_andWasCreatedLater() throws Exception {
    String before = make("").json().required("created_at").asString();
    assertThat(ask("DELETE", "/keys/" + name, "").status()).isEqualTo(204);
    Answer again = make("");
    assertThat(again.text()).contains("\"name\":\"" + name + "\"").doesNotContain(name + "@");
    assertThat(Instant.parse(again.json().required("created_at").asString()))
        .isAfter(Instant.parse(before));
    for (Answer changed :
        List.of(
            ask("PATCH", "/keys/" + name, "{\"weight\":2}"),
            ask("POST", "/keys/" + name + "/rotate", ""))) {
      assertThat(changed.json().required("created_at"))
          .isEqualTo(again.json().required("created_at"));
    }
    assertThat(ask("DELETE", "/keys/" + name, "").status()).isEqualTo(204);
    assertThat(ask("GET", "/keys/" + name, "").status()).isEqualTo(404);
  }

  @Test
  void keyWithAHash_isMadeWithoutASecretInTheAnswer() throws Exception {
    Answer made = make(",\"sha256\":\"" + KeySecrets.sha256("imported " + name) + "\"");
    assertThat(made.json().has("secret")).isFalse();
    assertThat(caller("imported " + name)).isNotNull();
    Answer again =
        ask(
            "POST",
            "/keys",
            "{\"name\":\"b\",\"sha256\":\"" + KeySecrets.sha256("imported " + name) + "\"}");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.detail()).isEqualTo("another key has this secret");
  }

  @Test
  void nameThatIsTaken_is409() throws Exception {
    make("");
    Answer again = ask("POST", "/keys", "{\"name\":\"" + name + "\"}");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.detail()).isEqualTo("a key of this name is there already");
  }

  @Test
  void keyChanged_keepsWhatIsNotNamedAndItsSecret() throws Exception {
    String secret = make(",\"rpm\":60,\"weight\":3").secret();
    Answer changed = ask("PATCH", "/keys/" + name, "{\"weight\":null,\"tpm\":9}");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.text())
        .contains("\"rpm\":60,\"tpm\":9", "\"weight\":1")
        .doesNotContain("\"secret\"");
    assertThat(caller(secret)).isNotNull();
  }

  @Test
  void keyRotated_hasBothSecretsForTheOverlap() throws Exception {
    String first = make("").secret();
    Answer rotated = ask("POST", "/keys/" + name + "/rotate", "");
    assertThat(rotated.status()).isEqualTo(200);
    assertThat(rotated.json().path("previous_secret_until").isString()).isTrue();
    String second = rotated.secret();
    assertThat(second).isNotEqualTo(first);
    assertThat(known(first, 0)).isTrue();
    assertThat(known(second, 0)).isTrue();
    Answer again = ask("POST", "/keys/" + name + "/rotate", "{\"overlap_seconds\":0}");
    assertThat(again.json().path("previous_secret_until").isNull()).isTrue();
    long now = gateway.context().getStartupDate();
    assertThat(known(first, now)).isFalse();
    assertThat(known(second, now + 3_600_000)).isFalse();
    assertThat(known(again.secret(), now)).isTrue();
  }

  private static boolean known(String secret, long unixMillis) {
    return gateway.context().getBean(KeyRegistry.class).caller(secret, unixMillis) != null;
  }

  @Test
  void keyRevoked_isNobodysAtOnce() throws Exception {
    String secret = make("").secret();
    String header = "Authorization: Bearer " + secret;
    assertThat(gateway.gateway("GET /a", header)).startsWith("HTTP/1.1 200");
    assertThat(ask("DELETE", "/keys/" + name, "").status()).isEqualTo(204);
    assertThat(caller(secret)).isNull();
    assertThat(gateway.gateway("GET /a", header)).startsWith("HTTP/1.1 401");
    for (String method : new String[] {"GET", "DELETE"}) {
      assertThat(ask(method, "/keys/" + name, "").status()).isEqualTo(404);
    }
    assertThat(ask("PATCH", "/keys/" + name, "{}").status()).isEqualTo(404);
    assertThat(ask("POST", "/keys/" + name + "/rotate", "").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | /keys | '' | a JSON object is expected",
        "POST | /keys | [] | a JSON object is expected",
        "POST | /keys | {'name | the body is not JSON, expected an object",
        "POST | /keys | {'name':'y','weight':2,'weight':1} | the body is not JSON",
        "PATCH | /keys/x | {'rpm':1,'rpm':0} | the body is not JSON",
        "POST | /keys | {} | name is expected to be 1 to 100 letters",
        "POST | /keys | {'name':7} | name is expected to be 1 to 100 letters",
        "POST | /keys | {'name':'a/b'} | name is expected to be 1 to 100 letters",
        "POST | /keys | {'name':'-rf'} | name is expected to be 1 to 100 letters",
        "POST | /keys | {'name':'x','rps':1} | unknown key 'rps', did you mean 'rpm'?",
        "POST | /keys | {'name':'x','secret':'s'} | unknown key 'secret', expected one of rpm, ",
        "POST | /keys | {'name':'x','rpm':-1} | rpm is '-1', expected",
        "POST | /keys | {'name':'x','sha256':'psk_x'} | sha256 is expected to be 64",
        "POST | /keys | {'name':'x','group':'none'} | group is expected to be one that route",
        "POST | /keys | {'name':'x','expires_at':'2020-01-01'} | expires_at is past",
        "PATCH | /keys/x | {'name':'y'} | name and sha256 stay as they are",
        "PATCH | /keys/x | {'weight':0} | weight is '0', expected",
        "PATCH | /keys/x | {'priority':0.5} | priority is '0.5', expected",
        "PATCH | /keys/x | {'group':'none'} | group is expected to be one that route",
        "POST | /keys/x/rotate | {'overlap_seconds':-1} | overlap_seconds is expected to be",
        "POST | /keys/x/rotate | {'overlap':1} | only overlap_seconds is understood here"
      })
  void badInput_isSaidWithWhatWasExpected(String method, String path, String body, String detail)
      throws Exception {
    Answer answer = ask(method, path, body.replace('\'', '"'));
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.detail()).startsWith(detail);
  }

  @Test
  void priorityAboveWhatTheKeyMay_is400() throws Exception {
    make(",\"priority\":1,\"max_priority\":3");
    assertThat(ask("PATCH", "/keys/" + name, "{\"priority\":4}").detail())
        .isEqualTo("priority is 4, above max_priority 3, expected at most that");
    assertThat(ask("PATCH", "/keys/" + name, "{\"priority\":3}").status()).isEqualTo(200);
  }

  @Test
  void bodyThatIsTooLarge_is413() throws Exception {
    Answer answer = ask("POST", "/keys", "{\"name\":\"" + "x".repeat(70_000) + "\"}");
    assertThat(answer.status()).isEqualTo(413);
  }

  @ParameterizedTest
  @CsvSource({"DELETE,/keys", "POST,/keys/a", "GET,/keys/a/rotate", "PUT,/keys/a"})
  void wrongMethod_is405(String method, String path) throws Exception {
    assertThat(ask(method, path, "").status()).isEqualTo(405);
  }

  @Test
  void gatewayPort_hasNoKeys() {
    assertThat(gateway.gateway("GET /keys")).doesNotContain("\"source\"");
  }

  @Test
  void startWithAStoreThatIsNone_saysWhyAndStartsNothing() throws Exception {
    Path file = Files.writeString(directory.resolve("no.db"), "this is no database, really not");
    GatewayServer.Start start =
        GatewayServer.start(
            Map.of(),
            directory.resolve("routes.yaml"),
            "--server.port=0",
            "--management.server.port=-1",
            "--penstock.keys.store=file:" + file);
    assertThat(start)
        .isEqualTo(
            new GatewayServer.Unusable("keys in " + file + ": the file is not one of SQLite"));
    assertThat(file).hasContent("this is no database, really not");
  }
}
