package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.StartedGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests that changes by operators apply to requests that wait, and to those that come meanwhile.
 */
class TermsChangeIT {
  private static final String ROUTES =
      """
      groups: [{name: team, rpm: 1}]
      endpoints:
        - path: /chat
          dialect: openai
          upstreams: [{id: u, url: "mock://openai?tokens=1&latency=1ms", tpm_limit: 1000}]
      """;

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private StartedGateway gateway;
  private String secret;
  private CompletableFuture<HttpResponse<String>> waiting;

  /** Makes one request of alice's wait for an upstream that has spent a part of its minute. */
  @BeforeEach
  void start() throws Exception {
    gateway =
        StartedGateway.start(
            directory, ROUTES, "--penstock.keys.store=file:" + directory.resolve("keys.db"));
    String made = operator("POST", "/keys", "{\"name\":\"alice\",\"on_limit\":\"wait\"}").body();
    secret = JsonMapper.shared().readTree(made).path("secret").asString();
    assertThat(chat(1, "").status()).isEqualTo(200);
    waiting = HTTP.sendAsync(request(998, ""), HttpResponse.BodyHandlers.ofString());
    await().until(() -> waitingRequests() == 1);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private record Answer(int status, String body) {}

  private Answer operator(String method, String path, String body)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + gateway.operatorPort() + path);
    return send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Asks, and waits at most the seconds that are given, or as long as it takes. */
  private Answer chat(int tokens, String seconds) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        HTTP.send(request(tokens, seconds), HttpResponse.BodyHandlers.ofString());
    return new Answer(answer.statusCode(), answer.body());
  }

  private HttpRequest request(int tokens, String seconds) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.port() + "/chat/v1/chat/completions");
    String body =
        "{\"model\":\"m\",\"max_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
            .formatted(tokens);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .header("Authorization", "Bearer " + secret)
            .POST(HttpRequest.BodyPublishers.ofString(body));
    return seconds.isEmpty()
        ? request.build()
        : request.header("x-penstock-timeout", seconds).build();
  }

  private static Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return new Answer(answer.statusCode(), answer.body());
  }

  private long waitingRequests() {
    EndpointRegistry registry = gateway.context().getBean(EndpointRegistry.class);
    return Objects.requireNonNull(registry.find("/chat")).totals().requests(TicketFate.WAITING);
  }

  @Test
  void modelGetsADailyLimit_onlySoManyMoreGo_andTheOneThatWaitsIsRefused() throws Exception {
    assertThat(operator("PUT", "/quotas?model=m", "{\"max_rpd\":1}").status()).isEqualTo(200);

    assertThat(chat(1, "").status()).isEqualTo(200);
    assertThat(chat(1, "").body()).contains("model_rpd");
    assertThat(waiting.get().body()).contains("model_rpd");
  }

  @Test
  void modelGetsALimitBelowWhatARequestCosts_theOneThatWaitsIsRefused() throws Exception {
    assertThat(operator("PUT", "/quotas?model=m", "{\"max_tpm\":2}").status()).isEqualTo(200);

    assertThat(waiting.get().body()).contains("cost_exceeds_capacity");
  }

  @Test
  void keyIsPutInAGroup_itsRequestsFaceTheGroup_whileOneWaits() throws Exception {
    assertThat(operator("PATCH", "/keys/alice", "{\"group\":\"team\"}").status()).isEqualTo(200);

    assertThat(chat(1, "").status()).isEqualTo(200);
    Answer second = chat(1, "1");
    assertThat(second.status()).as(second.body()).isEqualTo(429);
    assertThat(waiting).isNotDone();
  }
}
