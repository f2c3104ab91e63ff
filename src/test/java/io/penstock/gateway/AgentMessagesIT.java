package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.penstock.cost.TokenUsage;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.AgentRecord;
import io.penstock.fake.AgentRecord.Request;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.TextSocket;
import io.penstock.gateway.request.OpenWebSockets;
import io.penstock.key.KeySecrets;
import java.net.http.WebSocketHandshakeException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.WebsocketServerSpec;
import reactor.netty.http.websocket.WebsocketInbound;
import reactor.netty.http.websocket.WebsocketOutbound;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the messages that Codex was seen to send through a WebSocket. No agent runs. */
class AgentMessagesIT {
  private static final String COMPLETED =
      "{\"type\":\"response.completed\",\"response\":{\"usage\":"
          + "{\"input_tokens\":1,\"output_tokens\":1,\"total_tokens\":2}}}";

  private static final String AGENT = "agent";
  private static final int MAX_BYTES = 1 << 20;
  private static final RecordedEvents EVENTS = new RecordedEvents();
  private static final BlockingQueue<String> RECEIVED = new LinkedBlockingQueue<>();
  private static DisposableServer upstream;
  private static RunningGateway gateway;

  @BeforeAll
  static void start() {
    PatientWaits.awaitLongDay();
    upstream =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .route(
                routes ->
                    routes.ws(
                        "/v1/responses",
                        AgentMessagesIT::answer,
                        WebsocketServerSpec.builder().maxFramePayloadLength(MAX_BYTES).build()))
            .bindNow();
    gateway = RunningGateway.start(routes());
    gateway.bean(EventBus.class).subscribe(EVENTS);
  }

  private static String routes() {
    String budgets =
        records()
            .map(
                each ->
                    "  - {name: %s, sha256: %s, budget_tokens_per_day: 100000}"
                        .formatted(each, KeySecrets.sha256(each.name())))
            .collect(Collectors.joining("\n"));
    return """
    keys:
      - {name: agent, sha256: %s}
    %s
    endpoints:
      - path: /mock
        dialect: openai
        upstreams: [{id: mock, url: "mock://openai?tokens=20"}]
      - path: /small
        dialect: openai
        upstreams: [{id: small, url: "mock://openai?tokens=20", tpm_limit: 200}]
      - path: /spend
        dialect: openai
        upstreams: [{id: spend, url: "mock://openai?tokens=100000"}]
      - path: /recorded
        dialect: openai
        upstreams: [{id: recorded, url: "http://127.0.0.1:%d"}]
    """
        .formatted(KeySecrets.sha256(AGENT), budgets, upstream.port());
  }

  private static Mono<Void> answer(WebsocketInbound in, WebsocketOutbound out) {
    return out.sendObject(
            in.aggregateFrames(MAX_BYTES)
                .receive()
                .asString()
                .doOnNext(RECEIVED::add)
                .map(_ -> new TextWebSocketFrame(COMPLETED)),
            _ -> true)
        .then();
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.disposeNow();
  }

  @AfterEach
  void balances() {
    RunningGateway.awaiting().until(() -> gateway.bean(OpenWebSockets.class).open() == 0);
    gateway.awaitBalance();
    assertThat(RECEIVED).isEmpty();
  }

  static Stream<AgentRecord> records() {
    return AgentRecord.all().stream().filter(each -> !each.messages().isEmpty());
  }

  /** Opens a WebSocket as it was opened. */
  private static TextSocket open(AgentRecord record, String path, String key) {
    Request opening = record.requests().getFirst();
    assertThat(opening.start()).isEqualTo("GET /v1/responses");
    List<String> headers =
        opening.headers(key).stream()
            .filter(each -> !each.toLowerCase(Locale.ROOT).startsWith("sec-websocket-"))
            .toList();
    return new TextSocket("ws://127.0.0.1:" + gateway.port() + path + "/v1/responses", headers);
  }

  /** Returns the last event of the answer to a message. */
  private static JsonNode ask(TextSocket socket, String message) {
    socket.send(message);
    while (true) {
      JsonNode event = JsonMapper.shared().readTree(socket.next());
      String type = event.path("type").asString();
      if (type.equals("response.completed") || type.equals("error")) {
        return event;
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void message_isWeighed_answeredWhole_andSettledAsItsUsage(AgentRecord record) {
    try (TextSocket socket = open(record, "/mock", AGENT)) {
      for (String message : record.messages()) {
        gateway.awaitBalance();
        long seen = EVENTS.all().size();
        JsonNode end = ask(socket, message);
        assertThat(end.path("type").asString()).as("%s", end).isEqualTo("response.completed");
        gateway.awaitBalance();
        List<Event> events = EVENTS.all().stream().skip(seen).toList();
        TokenUsage usage = Objects.requireNonNull(only(Event.Called.class, events).usage());
        assertThat(only(Event.Released.class, events).cost().inputTokens())
            .isPositive()
            .isBetween(usage.inputTokens() / 2, usage.inputTokens() * 2);
        assertThat(only(Event.Settled.class, events).usedTokens())
            .isEqualTo(usage.inputTokens() + usage.outputTokens())
            .isEqualTo(end.path("response").path("usage").path("total_tokens").asLong());
      }
    }
  }

  private static <T extends Event> T only(Class<T> kind, List<Event> events) {
    List<T> all = events.stream().filter(kind::isInstance).map(kind::cast).toList();
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  @ParameterizedTest
  @MethodSource("records")
  void message_reachesTheUpstreamUnchanged(AgentRecord record) {
    try (TextSocket socket = open(record, "/recorded", AGENT)) {
      for (String message : record.messages()) {
        assertThat(ask(socket, message).path("type").asString()).isEqualTo("response.completed");
        assertThat(PatientWaits.take(RECEIVED)).isEqualTo(message);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void usedUpBudget_isToldInWordsThatStopTheAgent(AgentRecord record) {
    try (TextSocket socket = open(record, "/spend", record.name());
        TextSocket refused = open(record, "/mock", record.name())) {
      ask(socket, record.messages().getLast());
      for (String message : record.messages()) {
        JsonNode event = ask(refused, message);
        isRefused(event, 429, "key_budget");
        assertThat(event.path("error").path("type").asString()).isEqualTo("usage_limit_reached");
        assertThat(event.path("error").path("resets_at").asLong()).isPositive();
        assertThat(event.path("error").path("message").asString())
            .contains("100000 tokens a day, next at");
      }
    }
    assertThatThrownBy(() -> open(record, "/mock", record.name()))
        .as("then it asks without a WebSocket")
        .cause()
        .isInstanceOfSatisfying(
            WebSocketHandshakeException.class,
            refusal -> {
              assertThat(refusal.getResponse().statusCode()).isEqualTo(426);
              assertThat(refusal.getResponse().headers().firstValue("x-penstock-reason"))
                  .contains("key_budget");
            });
  }

  @ParameterizedTest
  @MethodSource("records")
  void hopelessMessage_isRefusedForGood(AgentRecord record) {
    try (TextSocket socket = open(record, "/small", AGENT)) {
      for (String message : record.messages()) {
        JsonNode event = ask(socket, message);
        isRefused(event, 400, "cost_exceeds_capacity");
        assertThat(event.path("error").path("message").asString())
            .contains("exceeds window capacity 200");
      }
    }
  }

  private static void isRefused(JsonNode event, int status, String reason) {
    assertThat(event.path("type").asString()).as("%s", event).isEqualTo("error");
    assertThat(event.path("status").asInt()).isEqualTo(status);
    assertThat(event.path("headers").path("x-penstock-reason").asString()).isEqualTo(reason);
    assertThat(event.path("headers").path("x-should-retry").asString()).isEqualTo("false");
  }
}
