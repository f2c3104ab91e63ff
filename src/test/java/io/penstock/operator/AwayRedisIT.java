package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests what operators see of requests that wait because Redis is away, and of other instances. */
class AwayRedisIT {
  private static final String ROUTES =
      """
      keys:
        - {name: waits, sha256: WAITS, rpm: 1000, on_limit: wait}
        - {name: rejects, sha256: REJECTS, rpm: 1000, on_limit: reject}
        - {name: free, sha256: FREE}
      endpoints:
        - path: /chat
          dialect: openai
          upstreams: [{id: u, url: "mock://openai?tokens=1&latency=1ms", rpm: 1000}]
      """;

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private StartedGateway start(RedisServer redis) {
    return StartedGateway.start(
        directory,
        ROUTES
            .replace("WAITS", KeySecrets.sha256("waits"))
            .replace("REJECTS", KeySecrets.sha256("rejects"))
            .replace("FREE", KeySecrets.sha256("free")),
        "--penstock.redis.url=" + redis.url(),
        "--penstock.redis.on-outage=park");
  }

  private static JsonNode operator(StartedGateway gateway, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + gateway.operatorPort() + path);
    HttpResponse<String> answer =
        HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(answer.body());
  }

  private static CompletableFuture<HttpResponse<String>> chat(StartedGateway gateway, String key) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.port() + "/chat/v1/chat/completions");
    String body =
        "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    return HTTP.sendAsync(
        HttpRequest.newBuilder(uri)
            .header("Authorization", "Bearer " + key)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Returns what the live stream says first of all endpoints and of the instance. */
  private static String live(StartedGateway gateway) throws Exception {
    try (var socket = StartedGateway.open(gateway.operatorPort(), "GET /live");
        var lines = StartedGateway.lines(socket)) {
      StringBuilder text = new StringBuilder();
      while (!text.toString().contains("event:instance")) {
        text.append(lines.readLine()).append('\n');
      }
      return text.append(lines.readLine()).toString();
    }
  }

  @Test
  void requestsThatWaitForRedis_areListed_withTheirAgeAndTheTrueReason() throws Exception {
    try (RedisServer redis = RedisServer.started();
        StartedGateway gateway = start(redis)) {
      assertThat(PatientWaits.join(chat(gateway, "free")).statusCode()).isEqualTo(200);
      redis.kill();
      await().until(() -> live(gateway).contains("\"redis_away_since\":\"2"));
      List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
      for (String key : List.of("waits", "free")) {
        waiting.add(chat(gateway, key));
      }
      HttpResponse<String> rejected = PatientWaits.join(chat(gateway, "rejects"));
      assertThat(rejected.statusCode()).isEqualTo(503);
      assertThat(rejected.headers().firstValue("x-penstock-reason")).contains("limit_unavailable");
      await().until(() -> operator(gateway, "/tickets?path=/chat").size() == 2);
      for (JsonNode each : operator(gateway, "/tickets?path=/chat")) {
        JsonNode binds = operator(gateway, "/tickets/" + each.path("id").asLong()).path("binds");
        assertThat(binds.path("detail").asString())
            .matches(
                "Redis has been away since \\d\\d:\\d\\d:\\d\\d"
                    + " \\(penstock\\.redis\\.on-outage=park\\)");
      }
      await()
          .until(() -> operator(gateway, "/endpoints").get(0).path("oldest_wait_ms").asLong() > 0);
      JsonNode reasons = operator(gateway, "/endpoints/waiting?path=/chat").path("reasons");
      assertThat(reasons).hasSize(1);
      assertThat(reasons.get(0).path("count").asInt()).isEqualTo(2);
      await().until(() -> live(gateway).contains("\"held_by\":\"Redis is away\""));
      redis.restart();
      for (CompletableFuture<HttpResponse<String>> each : waiting) {
        assertThat(PatientWaits.join(each).statusCode()).isEqualTo(200);
      }
    }
  }

  @Test
  void instanceThatCameLater_knowsHowManyThereAre() throws Exception {
    try (RedisServer redis = RedisServer.started();
        StartedGateway first = start(redis);
        StartedGateway second = start(redis)) {
      for (StartedGateway each : List.of(first, second)) {
        await().until(() -> live(each).contains("\"members\":2"));
      }
    }
  }
}
