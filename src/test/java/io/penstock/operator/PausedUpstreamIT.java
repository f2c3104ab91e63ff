package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.StartedGateway;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests upstreams that an operator takes out, and puts in again. */
class PausedUpstreamIT {
  private static final String ROUTES =
      """
      endpoints:
        - path: /two
          dialect: openai
          order: first_fit
          upstreams: [{id: eu, url: "mock://openai?latency=1ms"}, {id: us, url: "mock://openai?latency=2ms"}]
        - path: /one
          dialect: openai
          upstreams: [{id: eu, url: "mock://openai?latency=1ms"}]
        - path: /dead
          dialect: openai
          upstreams: [{id: dead, url: "http://127.0.0.1:PORT"}]
      """
          .replace("PORT", String.valueOf(StartedGateway.freePort()));

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private StartedGateway gateway;

  @BeforeEach
  void start() {
    gateway = StartedGateway.start(directory, ROUTES);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private HttpResponse<String> operator(String method, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + gateway.operatorPort() + path);
    return HTTP.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode json(String path) throws Exception {
    return JsonMapper.shared().readTree(operator("GET", path).body());
  }

  private CompletableFuture<HttpResponse<String>> chat(String path) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.port() + path + "/v1/chat/completions");
    String body =
        "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
    return HTTP.sendAsync(
        HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private String servedBy(CompletableFuture<HttpResponse<String>> answer) {
    HttpResponse<String> served = PatientWaits.join(answer);
    assertThat(served.statusCode()).as(served.body()).isEqualTo(200);
    return served.headers().firstValue("x-penstock-upstream").orElse("");
  }

  private void waits(String path) {
    EndpointRegistry registry = gateway.context().getBean(EndpointRegistry.class);
    await()
        .until(
            () ->
                Objects.requireNonNull(registry.find(path)).totals().requests(TicketFate.WAITING)
                    == 1);
  }

  @Test
  void endpointWhoseUpstreamIsDead_tellsWhy_inFewWords() {
    await()
        .untilAsserted(
            () -> {
              PatientWaits.join(chat("/dead"));
              JsonNode state = json("/endpoints?path=/dead").get(0).path("state");
              assertThat(state.path("what").asString()).isEqualTo("failing");
              assertThat(state.path("detail").asString())
                  .isEqualTo("upstream dead: refused the connection");
              assertThat(state.path("until").isString()).isTrue();
            });
  }

  @Test
  void requestsGoElsewhere_orWaitUntilItIsResumed() throws Exception {
    assertThat(servedBy(chat("/two"))).isEqualTo("eu");
    assertThat(operator("POST", "/upstreams/pause?id=eu").body()).contains("\"paused\":true");
    assertThat(servedBy(chat("/two"))).isEqualTo("us");
    var waiting = chat("/one");
    waits("/one");
    JsonNode ticket = json("/tickets?path=/one").get(0);
    assertThat(json("/tickets/" + ticket.path("id").asLong()).at("/binds/detail").asString())
        .isEqualTo("upstream eu is paused until somebody resumes it");
    assertThat(json("/endpoints?path=/one").get(0).at("/state/detail").asString())
        .isEqualTo("upstream eu: paused by an operator");
    assertThat(json("/endpoints?path=/two").get(0).at("/state/what").asString()).isEqualTo("open");

    operator("POST", "/upstreams/retry?id=eu");
    Files.writeString(directory.resolve("routes.yaml"), ROUTES + "  - path: /three\n");
    assertThat(operator("POST", "/reload").statusCode()).isEqualTo(200);
    assertThat(waiting).as("neither a retry nor a reload resumes it").isNotDone();

    assertThat(operator("POST", "/upstreams/resume?id=eu").body()).contains("\"paused\":false");
    assertThat(servedBy(waiting)).isEqualTo("eu");
    assertThat(servedBy(chat("/two"))).isEqualTo("eu");
  }

  @Test
  void bothPaused_requestsWait_andTheFirstThatIsResumedServesThem() throws Exception {
    operator("POST", "/upstreams/pause?id=eu");
    operator("POST", "/upstreams/pause?id=us");
    var waiting = chat("/two");
    waits("/two");
    assertThat(json("/endpoints?path=/two").get(0).at("/state/what").asString())
        .isEqualTo("paused");
    operator("POST", "/upstreams/resume?id=us");
    assertThat(servedBy(waiting)).isEqualTo("us");
  }

  @Test
  void callThatNeverWaits_isRefused() throws Exception {
    operator("POST", "/upstreams/pause?id=eu");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/one/v1/models"))
            .version(HttpClient.Version.HTTP_1_1) // an upgrade to HTTP/2 makes it another call
            .build();
    HttpResponse<String> models = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(models.statusCode()).isEqualTo(503);
    assertThat(models.body()).contains("paused every upstream");
  }

  @Test
  void unknownUpstream_isAProblem() throws Exception {
    assertThat(operator("POST", "/upstreams/pause").statusCode()).isEqualTo(400);
    assertThat(operator("POST", "/upstreams/resume?id=none").statusCode()).isEqualTo(404);
    assertThat(operator("GET", "/upstreams/pause").statusCode()).isEqualTo(405);
  }
}
