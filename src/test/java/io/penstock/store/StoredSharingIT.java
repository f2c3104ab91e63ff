package io.penstock.store;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests keys that operators create, and how their limits are shared. */
class StoredSharingIT {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private final String namespace = "stored-" + UUID.randomUUID();
  private final RedisServer redis = RedisServer.shared();

  private static void operator(StartedGateway gateway, String method, String path, String json)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.operatorPort() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(json))
            .build();
    HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
  }

  /** Returns the fields of a hash. */
  private String fields(String hash) {
    return redis.command(
        "EVAL",
        "return table.concat(redis.call('HKEYS', KEYS[1]), ' ')",
        "1",
        namespace + ":" + hash);
  }

  private boolean isTold(String key) {
    return fields("instances:0:told").contains("key/" + key + "/tokens");
  }

  private void asksUntil(StartedGateway gateway, String secret, boolean exact) {
    await()
        .untilAsserted(
            () -> {
              gateway.gateway("GET /a", "x-penstock-key: " + secret);
              assertThat(isTold("k")).isTrue();
              assertThat(fields("limit:key:k#tokens:60000").isEmpty()).isNotEqualTo(exact);
            });
  }

  @Test
  void sharingOfAStoredKey_isAsItSays_andFollowsAChange() throws Exception {
    String secret = KeySecrets.make();
    String own = KeySecrets.make();
    try (StartedGateway gateway =
        StartedGateway.start(
            directory,
            "endpoints: [{path: /a, algorithm: none}]",
            "--penstock.keys.store=file:" + directory.resolve("keys.db"),
            "--penstock.redis.url=" + redis.url(),
            "--penstock.redis.namespace=" + namespace)) {
      String key = "{\"name\":\"%s\",\"sha256\":\"%s\",\"tpm\":9000,\"sharing\":\"%s\"}";
      operator(gateway, "POST", "/keys", key.formatted("k", KeySecrets.sha256(secret), "eventual"));
      operator(gateway, "POST", "/keys", key.formatted("own", KeySecrets.sha256(own), "local"));
      assertThat(gateway.gateway("GET /a", "x-penstock-key: " + own)).startsWith("HTTP/1.1 200");
      asksUntil(gateway, secret, false);
      assertThat(gateway.operator("GET /keys/k")).contains("\"sharing\":\"eventual\"");
      operator(gateway, "PATCH", "/keys/k", "{\"sharing\":\"exact\"}");
      asksUntil(gateway, secret, true);
      assertThat(isTold("own")).as("of a limit of this instance alone").isFalse();
    }
  }
}
