package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.MemoryCoordination;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Tests what becomes of the requests of a key that is revoked, and of those an operator ends. */
class RevokedKeyIT {
  private static final String ROUTES =
      """
      keys:
        - {name: bob, sha256: BOB}
      endpoints:
        - path: /chat
          dialect: openai
          heartbeat_seconds: 1
          upstreams: [{id: u, url: "mock://openai?tokens=1&latency=1ms"}]
        - path: /slow
          dialect: openai
          upstreams: [{id: s, url: "mock://openai?tokens=1000&latency=1ms&tps=1"}]
      """;

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final HttpClient HTTP2 =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();

  @TempDir private Path directory;

  private StartedGateway gateway;
  private String alice;

  @BeforeEach
  void start() throws Exception {
    gateway =
        StartedGateway.start(
            directory,
            ROUTES.replace("BOB", KeySecrets.sha256("bob")),
            "--penstock.coordination.enabled=true",
            "--penstock.keys.store=file:" + directory.resolve("keys.db"));
    alice = make("alice");
    assertThat(operator("POST", "/endpoints/pause?path=/chat").statusCode()).isEqualTo(200);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private String make(String name) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(operatorUri("/keys"))
            .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"" + name + "\"}"))
            .build();
    String made = HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
    return JsonMapper.shared().readTree(made).path("secret").asString();
  }

  private URI operatorUri(String path) {
    return URI.create("http://127.0.0.1:" + gateway.operatorPort() + path);
  }

  private HttpResponse<String> operator(String method, String path)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(operatorUri(path));
    return HTTP.send(
        request.method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(String path, String secret, boolean streams) {
    String body =
        "{\"model\":\"m\",\"max_tokens\":1000,\"stream\":%s,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
            .formatted(streams);
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + gateway.port() + path + "/v1/chat/completions"))
        .header("Authorization", "Bearer " + secret)
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private CompletableFuture<HttpResponse<String>> chat(HttpClient client, String secret) {
    return client.sendAsync(request("/chat", secret, false), HttpResponse.BodyHandlers.ofString());
  }

  /** Sends requests of a key that wait, and returns once all do. */
  private List<CompletableFuture<HttpResponse<String>>> waiting(String secret) {
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    all.add(chat(HTTP, secret));
    all.add(chat(HTTP2, secret));
    all.add(HTTP.sendAsync(request("/chat", secret, true), HttpResponse.BodyHandlers.ofString()));
    waits(3);
    return all;
  }

  private void waits(long many) {
    EndpointRegistry registry = gateway.context().getBean(EndpointRegistry.class);
    await()
        .until(
            () ->
                Objects.requireNonNull(registry.find("/chat")).totals().requests(TicketFate.WAITING)
                    == many);
  }

  private void areServed(List<CompletableFuture<HttpResponse<String>>> answers) throws Exception {
    operator("POST", "/endpoints/resume?path=/chat");
    for (CompletableFuture<HttpResponse<String>> each : answers) {
      assertThat(PatientWaits.join(each).statusCode()).isEqualTo(200);
    }
  }

  private static void areRefused(List<CompletableFuture<HttpResponse<String>>> answers) {
    for (CompletableFuture<HttpResponse<String>> each : answers) {
      assertThat(PatientWaits.join(each).body())
          .contains("Incorrect API key provided")
          .contains("he key was revoked before the request went");
    }
    HttpResponse<String> plain = PatientWaits.join(answers.getFirst());
    assertThat(plain.statusCode()).isEqualTo(401);
    assertThat(plain.headers().firstValue("x-penstock-reason")).hasValue("unauthenticated");
  }

  @Test
  void storedKeyIsRevoked_whatWaitsIsRefused_andOthersAreNot() throws Exception {
    var ofAlice = waiting(alice);
    CompletableFuture<HttpResponse<String>> ofBob = chat(HTTP, "bob");
    waits(4);
    assertThat(operator("DELETE", "/keys/alice").statusCode()).isEqualTo(204);
    areRefused(ofAlice);
    areServed(List.of(ofBob));
  }

  @Test
  void waitingRequestsAreKept_theyAreServed_alsoAfterTheNextChange() throws Exception {
    var ofAlice = waiting(alice);
    assertThat(operator("DELETE", "/keys/alice?requests=keep-waiting").statusCode()).isEqualTo(204);
    make("carol");
    areServed(ofAlice);
    assertThat(PatientWaits.join(chat(HTTP, alice)).statusCode()).isEqualTo(401);
  }

  @Test
  void wordThatIsNoneOfThem_changesNothing() throws Exception {
    HttpResponse<String> answer = operator("DELETE", "/keys/alice?requests=later");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("keep-waiting");
    assertThat(operator("GET", "/keys/alice").statusCode()).isEqualTo(200);
  }

  @Test
  void runningAnswer_goesOn_unlessItIsCut() throws Exception {
    String carol = make("carol");
    InputStream ofAlice = begun(HTTP, alice);
    InputStream ofCarol = begun(HTTP, carol);
    InputStream overHttp2 = begun(HTTP2, carol);
    operator("DELETE", "/keys/alice");
    operator("DELETE", "/keys/carol?requests=cut");
    assertThat(endsInAnError(ofCarol)).isTrue();
    assertThat(endsInAnError(overHttp2)).isTrue();
    EndpointRegistry registry = gateway.context().getBean(EndpointRegistry.class);
    await()
        .until(
            () ->
                Objects.requireNonNull(registry.find("/slow")).totals().requests(TicketFate.RUNNING)
                    == 1);
    ofAlice.close();
  }

  /** Returns the body of an answer of which the first part has come. */
  private InputStream begun(HttpClient client, String secret) throws Exception {
    InputStream body =
        client
            .send(request("/slow", secret, true), HttpResponse.BodyHandlers.ofInputStream())
            .body();
    assertThat(body.read()).isEqualTo('d');
    return body;
  }

  private static boolean endsInAnError(InputStream body) {
    try {
      return !new String(body.readAllBytes(), StandardCharsets.UTF_8).contains("[DONE]");
    } catch (IOException cut) {
      return true;
    }
  }

  @Test
  void keyOfARouteFile_countsAsRevoked_unlessItsSecretStays() throws Exception {
    var first = waiting("bob");
    reload(ROUTES.replace("bob", "robert").replace("BOB", KeySecrets.sha256("bob")));
    areServed(first);
    operator("POST", "/endpoints/pause?path=/chat");
    var second = waiting("bob");
    reload(ROUTES.replace("BOB", KeySecrets.sha256("other")));
    areRefused(second);
  }

  @Test
  void rotatedKey_losesNothing() throws Exception {
    var waiting = waiting(alice);
    assertThat(operator("POST", "/keys/alice/rotate").statusCode()).isEqualTo(200);
    areServed(waiting);
  }

  private void reload(String routes) throws Exception {
    Files.writeString(directory.resolve("routes.yaml"), routes);
    assertThat(operator("POST", "/reload").statusCode()).isEqualTo(200);
  }

  @Test
  void waitingCoordinationCall_ends() throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + gateway.port() + "/event/e/wait");
    CompletableFuture<HttpResponse<String>> call =
        HTTP.sendAsync(
            HttpRequest.newBuilder(uri).header("x-api-key", alice).build(),
            HttpResponse.BodyHandlers.ofString());
    MemoryCoordination coordination = gateway.context().getBean(MemoryCoordination.class);
    await().until(() -> coordination.waiting() == 1);
    operator("DELETE", "/keys/alice");
    assertThat(PatientWaits.join(call).statusCode()).isEqualTo(401);
    await().until(() -> coordination.waiting() == 0);
  }

  @Test
  void operatorThrowsOutWhatWaits_ofAKeyOrAtAnEndpoint() throws Exception {
    var ofAlice = waiting(alice);
    CompletableFuture<HttpResponse<String>> ofBob = chat(HTTP, "bob");
    waits(4);
    assertThat(operator("DELETE", "/tickets").statusCode()).isEqualTo(400);
    assertThat(operator("DELETE", "/tickets?key=alice&path=/chat").statusCode()).isEqualTo(400);
    assertThat(operator("DELETE", "/tickets?path=/none").statusCode()).isEqualTo(404);
    assertThat(operator("DELETE", "/tickets?key=nobody").body())
        .isEqualToIgnoringNewLines("{\"removed\":0}");
    assertThat(operator("DELETE", "/tickets?key=alice").body())
        .isEqualToIgnoringNewLines("{\"removed\":3}");
    for (CompletableFuture<HttpResponse<String>> each : ofAlice) {
      assertThat(PatientWaits.join(each).body()).contains("removed_by_operator");
    }
    assertThat(operator("DELETE", "/tickets?path=/chat").body())
        .isEqualToIgnoringNewLines("{\"removed\":1}");
    assertThat(PatientWaits.join(ofBob).statusCode()).isEqualTo(503);
  }
}
