package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.RunningGateway;
import io.penstock.key.KeySecrets;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests which tickets wait, why, and what an operator can do about them; through the ports. */
class TicketsIT {
  private static final String SECRET = "secret-of-free";
  private static final String WORDS = "nobody's business";
  private static final String ROUTES =
      """
      keys:
        - {name: free, sha256: FREE}
        - {name: two, sha256: TWO, rpm: 2, on_limit: reject}
      endpoints:
        - {path: /permit, algorithm: none}
        - {path: /budget, algorithm: token_window, tokens_per_window: 100, window_seconds: 3600}
        - path: /one
          dialect: openai
          upstreams: [{id: one, url: "mock://openai?latency=30s", concurrency: 1}]
        - path: /enough
          dialect: openai
          upstreams: [{id: enough, url: "mock://openai?rpm=1&window=60s"}]
        - path: /mock
          dialect: openai
          upstreams: [{id: mock, url: "mock://openai"}]
        - path: /claude
          dialect: anthropic
          upstreams: [{id: claude, url: "mock://anthropic"}]
        - path: /gem
          dialect: gemini
          upstreams: [{id: gem, url: "mock://gemini"}]
      """;

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static RunningGateway gateway;

  @BeforeAll
  static void start() {
    gateway =
        RunningGateway.start(
            ROUTES
                .replace("FREE", KeySecrets.sha256(SECRET))
                .replace("TWO", KeySecrets.sha256("secret-of-two")));
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static HttpResponse<String> operator(String method, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.operatorPort() + path))
            .method(method, BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return HTTP.send(request.build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException failed) {
      throw new AssertionError(failed);
    }
  }

  private static JsonNode json(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).doesNotContain(SECRET, WORDS);
    return JsonMapper.shared().readTree(answer.body());
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
        .header("x-penstock-key", SECRET);
  }

  private static CompletableFuture<HttpResponse<String>> get(String path) {
    return HTTP.sendAsync(request(path).build(), BodyHandlers.ofString());
  }

  private static CompletableFuture<HttpResponse<String>> chat(String path) {
    String body =
        "{\"model\":\"m\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\""
            + WORDS
            + "\"}]}";
    HttpRequest chat =
        request(path + "/v1/chat/completions").POST(BodyPublishers.ofString(body)).build();
    return HTTP.sendAsync(chat, BodyHandlers.ofString());
  }

  /** Waits until a request waits at an endpoint, and returns its entry in the list. */
  private static JsonNode waiting(String path) {
    AtomicReference<JsonNode> first = new AtomicReference<>();
    RunningGateway.awaiting()
        .untilAsserted(
            () -> {
              JsonNode listed = json(operator("GET", "/tickets?path=" + path));
              assertThat(listed.size()).isEqualTo(1);
              assertThat(listed.get(0).path("id").isNumber()).isTrue(); // it is in the queue
              first.set(listed.get(0));
            });
    return first.get();
  }

  private static JsonNode explained(String id) {
    return json(operator("GET", "/tickets/" + id));
  }

  @Test
  void pausedEndpoint_parksAndExplains_andWhoWaitsGoesWhenItIsResumed() throws Exception {
    assertThat(json(operator("POST", "/endpoints/pause?path=/permit")).toString())
        .isEqualTo("{\"path\":\"/permit\",\"paused\":true}");
    CompletableFuture<HttpResponse<String>> answer = get("/permit?tokens=7");
    JsonNode listed = waiting("/permit");
    assertThat(listed.path("position").asInt()).isEqualTo(1);
    assertThat(listed.path("key").asString()).isEqualTo("free");
    assertThat(listed.at("/cost/input_tokens").asLong()).isEqualTo(7);
    assertThat(listed.at("/cost/requests").asLong()).isEqualTo(1);
    assertThat(listed.path("expected_ms").isNull()).isTrue();
    JsonNode explained = explained(listed.path("id").asString());
    assertThat(explained.path("state").asString()).isEqualTo("waiting");
    assertThat(explained.at("/binds/what").asString()).isEqualTo("endpoint_paused");
    assertThat(explained.at("/binds/until").isNull()).isTrue();
    assertThat(explained(listed.path("request_id").asString()).path("id"))
        .isEqualTo(listed.path("id"));
    assertThat(json(operator("GET", "/endpoints?path=/permit")).get(0).path("paused").asBoolean())
        .isTrue();
    assertThat(json(operator("POST", "/endpoints/resume?path=/permit")).path("paused").asBoolean())
        .isFalse();
    assertThat(answer.get().statusCode()).isEqualTo(200);
    assertThat(answer.get().headers().firstValue("x-request-id"))
        .hasValue(listed.path("request_id").asString());
  }

  @Test
  void ticketThatIsRemoved_isRefusedToItsClient_once() throws Exception {
    long refused = gateway.count("/budget", TicketFate.REFUSED);
    assertThat(get("/budget?tokens=100").get().statusCode()).isEqualTo(200);
    CompletableFuture<HttpResponse<String>> answer = get("/budget?tokens=60");
    JsonNode listed = waiting("/budget");
    String id = listed.path("id").asString();
    JsonNode explained = explained(id);
    JsonNode limit = explained.at("/limits/0");
    assertThat(limit.path("kind").asString()).isEqualTo("endpoint");
    assertThat(limit.path("name").asString()).isEqualTo("/budget");
    assertThat(limit.path("measure").asString()).isEqualTo("tokens");
    assertThat(limit.path("window_ms").asLong()).isEqualTo(3_600_000);
    assertThat(limit.path("limit").asLong()).isEqualTo(100);
    assertThat(limit.path("used").asLong()).isEqualTo(100);
    assertThat(limit.path("needs").asLong()).isEqualTo(60);
    assertThat(limit.path("admits").asBoolean()).isFalse();
    assertThat(explained.at("/binds/what").asString()).isEqualTo("limit");
    assertThat(explained.at("/binds/until")).isEqualTo(limit.path("until"));
    assertThat(Instant.parse(limit.path("until").asString())).isAfter(Instant.EPOCH);
    assertThat(listed.path("expected_ms").asLong()).isBetween(3_000_000L, 3_600_000L);

    assertThat(operator("DELETE", "/tickets/" + id).statusCode()).isEqualTo(204);
    assertThat(answer.get().statusCode()).isEqualTo(503);
    assertThat(answer.get().headers().firstValue("x-penstock-reason"))
        .hasValue("removed_by_operator");
    assertThat(answer.get().headers().firstValue("Retry-After")).isPresent();
    assertThat(gateway.count("/budget", TicketFate.REFUSED)).isEqualTo(refused + 1);
    assertThat(operator("DELETE", "/tickets/" + id).statusCode()).isEqualTo(409);
    JsonNode past = explained(id);
    assertThat(past.path("state").asString()).isEqualTo("refused");
    assertThat(past.at("/refusal/reason").asString()).isEqualTo("removed_by_operator");
    assertThat(past.at("/binds/what").asString()).isEqualTo("limit");
  }

  @Test
  void keyThatHasUsedUpItsRequests_isExplainedByTheIdOfTheAnswer() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/permit/two"))
            .header("x-penstock-key", "secret-of-two")
            .build();
    HTTP.send(request, BodyHandlers.ofString());
    HTTP.send(request, BodyHandlers.ofString());
    HttpResponse<String> last = HTTP.send(request, BodyHandlers.ofString());
    assertThat(last.headers().firstValue("x-penstock-reason")).hasValue("key_rpm");
    JsonNode past = explained(last.headers().firstValue("x-request-id").orElseThrow());
    assertThat(past.path("state").asString()).isEqualTo("refused");
    assertThat(past.path("path").asString()).isEqualTo("/permit/two");
    assertThat(past.at("/refusal/reason").asString()).isEqualTo("key_rpm");
    assertThat(past.at("/refusal/retry_after_ms").asLong()).isBetween(1L, 61_000L);
    assertThat(past.at("/binds/kind").asString()).isEqualTo("key");
    assertThat(past.at("/binds/name").asString()).isEqualTo("two");
    assertThat(past.at("/limits/0/used").asLong()).isEqualTo(2);
    assertThat(past.at("/limits/0/until").asString()).isNotBlank();
  }

  @Test
  void upstreamThatRunsAsManyAsMay_isWaitedForWithoutAnInstant() {
    CompletableFuture<HttpResponse<String>> runs = chat("/one");
    gateway.await("/one", TicketFate.RUNNING, 1);
    CompletableFuture<HttpResponse<String>> waits = chat("/one");
    JsonNode explained = explained(waiting("/one").path("id").asString());
    assertThat(explained.at("/binds/what").asString()).isEqualTo("limit");
    assertThat(explained.at("/binds/kind").asString()).isEqualTo("upstream");
    assertThat(explained.at("/binds/measure").asString()).isEqualTo("concurrency");
    assertThat(explained.at("/binds/until").isNull()).isTrue();
    assertThat(explained.at("/binds/detail").asString()).contains("until one of them ends");
    assertThat(explained.at("/limits/0/reserved").asLong()).isEqualTo(1);
    waits.cancel(true);
    runs.cancel(true);
    gateway.await("/one", TicketFate.WAITING, 0);
  }

  @Test
  void upstreamThatSaidEnough_isWaitedForUntilItsPauseEnds() throws Exception {
    assertThat(chat("/enough").get().statusCode()).isEqualTo(200);
    CompletableFuture<HttpResponse<String>> waits = chat("/enough");
    JsonNode explained = explained(waiting("/enough").path("id").asString());
    assertThat(explained.at("/binds/what").asString()).isEqualTo("upstream_paused");
    assertThat(explained.at("/binds/name").asString()).isEqualTo("enough");
    assertThat(Instant.parse(explained.at("/binds/until").asString())).isAfter(Instant.EPOCH);
    waits.cancel(true);
    gateway.await("/enough", TicketFate.WAITING, 0);
  }

  @Test
  void refusedRequest_isFoundByItsId_alsoWithoutAKeyOrAnEndpoint() throws Exception {
    HttpRequest noKey =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/mock"))
            .header("x-request-id", "no-key-1")
            .build();
    assertThat(HTTP.send(noKey, BodyHandlers.ofString()).statusCode()).isEqualTo(401);
    HttpRequest noPath = request("/nowhere").header("x-request-id", "no-path-1").build();
    assertThat(HTTP.send(noPath, BodyHandlers.ofString()).statusCode()).isEqualTo(404);
    assertThat(explained("no-key-1").at("/refusal/reason").asString()).isEqualTo("unauthenticated");
    JsonNode unknown = explained("no-path-1");
    assertThat(unknown.at("/refusal/reason").asString()).isEqualTo("no_endpoint");
    assertThat(unknown.path("path").asString()).isEqualTo("/nowhere");
  }

  @Test
  void reasonsOfRefusals_areAPage() {
    HttpResponse<String> page = operator("GET", "/console/reasons");
    assertThat(page.headers().firstValue("content-type").orElse("")).startsWith("text/html");
    for (RefusalReason reason : RefusalReason.values()) {
      assertThat(page.body()).contains("id=\"" + reason.code() + "\"");
    }
    assertThat(page.body()).contains("<code>allowed_models</code>").doesNotContain("`");
    assertThat(operator("HEAD", "/console").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"/permit, 0", "/mock, 20", "/claude, 20", "/gem, 20"})
  void testRequest_goesThroughAsAClientsDoes_andCostsLittle(String path, long most) {
    long served = gateway.count(path, TicketFate.SERVED);
    Ticker since = Ticker.system();
    JsonNode came =
        json(operator("POST", "/endpoints/test?path=" + path, "x-penstock-key", SECRET));
    assertThat(came.path("status").asInt()).as("%s", came).isEqualTo(200);
    assertThat(came.path("reason").isNull()).isTrue();
    assertThat(came.path("waited_ms").asLong()).isBetween(0L, since.nanos() / 1_000_000);
    assertThat(came.path("cost").asLong()).isBetween(1L, most + 1);
    assertThat(came.path("request_id").asString()).isNotBlank();
    gateway.await(path, TicketFate.SERVED, served + 1);
  }

  @Test
  void testRequestWithoutAKey_isRefusedAsAClientsIs() {
    JsonNode came = json(operator("POST", "/endpoints/test?path=/mock"));
    assertThat(came.path("status").asInt()).isEqualTo(401);
    assertThat(came.path("reason").asString()).isEqualTo("unauthenticated");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /tickets, 400",
    "GET, /tickets?path=/permit&limit=0, 400",
    "GET, /tickets?path=/permit&limit=1001, 400",
    "GET, /tickets?path=/permit&limit=many, 400",
    "GET, /tickets?path=/none, 404",
    "GET, /tickets?path=/permit/below, 404",
    "GET, /tickets/999999999, 404",
    "GET, /tickets/no-such-request, 404",
    "DELETE, /tickets/999999999, 404",
    "DELETE, /tickets/no-such-request, 404",
    "DELETE, /tickets, 400",
    "POST, /tickets/1, 405",
    "POST, /endpoints/pause, 400",
    "POST, /endpoints/pause?path=/none, 404",
    "POST, /endpoints/resume?path=/permit/below, 404",
    "POST, /endpoints/test, 400",
    "POST, /endpoints/test?path=/none, 404",
    "GET, /endpoints/pause, 405",
    "POST, /upstreams/retry, 400",
    "POST, /upstreams/retry?id=none, 404",
    "GET, /upstreams/retry, 405",
    "GET, /endpoints/test, 405"
  })
  void wrongRequests_areProblems(String method, String path, int status) {
    HttpResponse<String> answer = operator(method, path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/problem+json");
  }
}
