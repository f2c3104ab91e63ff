package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the record of the actions of operators. */
class AuditIT {
  private static final String ROUTES = "endpoints: [{path: /a}]\n";
  private static final String ALICE = "token-of-alice-1234567890";
  private static final String SHARED = "token-of-all-1234567890";

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private static HttpResponse<String> ask(
      StartedGateway gateway, String token, String method, String path, String body)
      throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + gateway.operatorPort() + path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.ofString(body));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void actions_areRecordedWithTheNameOfTheToken_newestFirst_withoutSecrets() throws Exception {
    try (StartedGateway gateway =
        StartedGateway.start(
            directory,
            ROUTES,
            "--penstock.operator.token=" + SHARED,
            "--penstock.operator.tokens.alice=" + ALICE,
            "--penstock.keys.store=file:" + directory.resolve("keys.db"))) {
      assertThat(ask(gateway, "wrong", "POST", "/endpoints/pause?path=/a", "").statusCode())
          .isEqualTo(401);
      ask(gateway, ALICE, "POST", "/endpoints/pause?path=/a", "");
      ask(gateway, ALICE, "POST", "/endpoints/pause?path=/none", "");
      ask(gateway, SHARED, "POST", "/endpoints/resume?path=/a", "");
      String made = ask(gateway, ALICE, "POST", "/keys", "{\"name\":\"bob\"}").body();
      ask(gateway, ALICE, "POST", "/tokens/count", "{\"model\":\"m\",\"text\":\"t\"}");
      HttpResponse<String> answer = ask(gateway, SHARED, "GET", "/audit", "");
      JsonNode audit = JsonMapper.shared().readTree(answer.body());
      assertThat(audit).hasSize(3);
      assertThat(audit.get(0).path("what").asString()).isEqualTo("POST /keys");
      assertThat(audit.get(1).path("who").asString()).isEqualTo("operator");
      assertThat(audit.get(2).path("who").asString()).isEqualTo("alice");
      assertThat(audit.get(2).path("what").asString()).isEqualTo("POST /endpoints/pause?path=/a");
      assertThat(audit.get(2).path("from").asString()).isEqualTo("127.0.0.1");
      assertThat(audit.get(2).path("at").asString()).startsWith("20");
      String secret = JsonMapper.shared().readTree(made).path("secret").asString();
      assertThat(answer.body()).doesNotContain(secret, ALICE, SHARED);
      assertThat(ask(gateway, SHARED, "GET", "/audit?limit=1", "").body()).contains("/keys");
      assertThat(ask(gateway, SHARED, "GET", "/audit?limit=0", "").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void withoutATokenToNeed_theOperatorIsLoopback() throws Exception {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES)) {
      ask(gateway, "", "POST", "/reload", "");
      assertThat(ask(gateway, "", "GET", "/audit", "").body())
          .contains("\"who\":\"loopback\"", "POST /reload");
    }
  }
}
