package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.StartedGateway;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that operators see requests that something other than a queue holds, and what holds it. */
class HeldRequestsIT extends HostileCase {
  private static final int MOST = 3_000_000;
  private static final int LARGE = 2_500_000;

  /** Connections are accepted, and no handshake is ever answered. */
  private final ServerSocket silent = silent();

  private static ServerSocket silent() {
    try {
      return new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s"}]
      - path: /counted
        dialect: anthropic
        cost_from: provider
        upstreams: [{id: counting, url: "%1$s", api_key: "${SECRET}"}]
      - path: /unreachable
        dialect: openai
        upstreams: [{id: far, url: "https://127.0.0.1:PORT"}]
      - path: /ws
        dialect: openai
        upstreams: [{id: w, url: "mock://openai?latency=60s"}]
    """
        .replace("PORT", String.valueOf(silent.getLocalPort()));
  }

  @Override
  String[] arguments() {
    return new String[] {"--penstock.max-buffered-bytes=" + MOST, "--penstock.body.tenant-share=1"};
  }

  @AfterAll
  void close() throws IOException {
    silent.close();
  }

  private JsonNode operator(String path) {
    String answer = StartedGateway.ask(gateway.operatorPort(), "GET " + path);
    assertThat(answer).startsWith("HTTP/1.1 200");
    return JsonMapper.shared().readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
  }

  /** Checks that lists of an endpoint have exactly one request, held by a cause. */
  private void assertHeld(String path, String cause, String detail) {
    RunningGateway.awaiting()
        .untilAsserted(
            () -> {
              JsonNode reasons = operator("/endpoints/waiting?path=" + path);
              assertThat(reasons.path("looked_at").asInt()).isEqualTo(1);
              JsonNode reason = reasons.path("reasons").path(0);
              assertThat(reason.path("what").asString()).isEqualTo(cause);
              assertThat(reason.path("detail").asString()).isEqualTo(detail);
            });
    JsonNode list = operator("/tickets?path=" + path);
    assertThat(list).hasSize(1);
    assertThat(list.path(0).path("id").isNull()).isTrue();
    String id = list.path(0).path("request_id").asString();
    JsonNode ticket = operator("/tickets/" + id);
    assertThat(ticket.path("state").asString()).isEqualTo("waiting");
    assertThat(ticket.path("path").asString()).isEqualTo(path);
    assertThat(ticket.path("waited_ms").asLong()).isNotNegative();
    assertThat(ticket.path("binds").path("what").asString()).isEqualTo(cause);
    assertThat(ticket.path("binds").path("advice").asString()).isNotBlank();
  }

  private void assertNothingHeld(String path) {
    RunningGateway.awaiting()
        .untilAsserted(() -> assertThat(operator("/tickets?path=" + path)).isEmpty());
  }

  private void send(ByteSocket byteSocket, String text) {
    Thread.ofVirtual().start(() -> byteSocket.send(text));
  }

  private static String large() {
    return ASK.replace(PROMPT, "x".repeat(LARGE - ASK.length() + PROMPT.length()));
  }

  @Test
  void clientStopsWithinItsBody() throws InterruptedException {
    try (ByteSocket byteSocket = connect()) {
      String whole = ByteSocket.request("POST", CHAT, ASK);
      int half = whole.length() - 20;
      byteSocket.send(whole.substring(0, half));
      assertHeld("/openai", "body", "its client has not sent the whole body yet");
      byteSocket.send(whole.substring(half));
      assertThat(byteSocket.answer().status()).isEqualTo(200);
    }
    upstream.received();
    assertNothingHeld("/openai");
  }

  @Test
  void clientLeavesWithinItsBody_nothingIsHeldAnyMore() {
    try (ByteSocket byteSocket = connect()) {
      String whole = ByteSocket.request("POST", CHAT, ASK);
      byteSocket.send(whole.substring(0, whole.length() - 20));
      assertHeld("/openai", "body", "its client has not sent the whole body yet");
      byteSocket.reset();
    }
    assertNothingHeld("/openai");
  }

  @Test
  void otherBodiesTakeTheMemory() throws InterruptedException {
    CountDownLatch answers = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          PatientWaits.await(answers);
          byteSocket.send(OK);
        });
    try (ByteSocket first = connect();
        ByteSocket second = connect()) {
      send(first, ByteSocket.request("POST", CHAT, large()));
      upstream.received();
      send(second, ByteSocket.request("POST", CHAT, large()));
      assertHeld("/openai", "body_memory", "other bodies take the memory that its body needs");
      answers.countDown();
      assertThat(first.answer().status()).isEqualTo(200);
      assertThat(second.answer().status()).isEqualTo(200);
    }
    upstream.received();
  }

  @Test
  void providerCountsTheInput() throws InterruptedException {
    CountDownLatch counts = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          if (self.read(byteSocket).target().endsWith("/count_tokens")) {
            PatientWaits.await(counts);
          }
          byteSocket.send(OK);
        });
    try (ByteSocket byteSocket = connect()) {
      byteSocket.post("/counted/v1/messages", ASK);
      upstream.received();
      assertHeld("/counted", "input_count", "the provider is asked how many tokens its input has");
      counts.countDown();
      assertThat(byteSocket.answer().status()).isEqualTo(200);
    }
    upstream.received();
    assertNothingHeld("/counted");
  }

  @Test
  void upstreamNeverEndsTheHandshake() {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.post("/unreachable/v1/chat/completions", ASK);
      assertHeld("/unreachable", "connection", "a connection is being made to upstream far");
      byteSocket.reset();
    }
    assertNothingHeld("/unreachable");
  }

  @Test
  void webSocketNeverBecomesOne_becauseTheUpstreamDoesNotEndTheHandshake() {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          """
          GET /unreachable/v1/realtime HTTP/1.1\r
          Host: localhost\r
          Connection: Upgrade\r
          Upgrade: websocket\r
          Sec-WebSocket-Version: 13\r
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
          \r
          """);
      assertHeld("/unreachable", "connection", "a connection is being made to upstream far");
      byteSocket.reset();
    }
    assertNothingHeld("/unreachable");
  }

  @Test
  void earlierCallOfTheWebSocketRuns() {
    WebSocket socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(
                URI.create("ws://127.0.0.1:" + gateway.port() + "/ws/v1/responses"),
                new WebSocket.Listener() {})
            .join();
    String create = "{\"type\":\"response.create\",\"model\":\"m\",\"input\":\"Hi\"}";
    List.of(create, create).forEach(each -> socket.sendText(each, true).join());
    assertHeld("/ws", "socket_turn", "an earlier call of its WebSocket has not ended");
    socket.abort();
    assertNothingHeld("/ws");
  }
}
