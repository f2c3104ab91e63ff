package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.TicketFate;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.AgentRecord;
import io.penstock.fake.AgentRecord.Request;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RecordedEvents;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.Transcript;
import io.penstock.key.KeySecrets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the requests that coding agents were seen to send. No agent runs. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class AgentRequestsIT {
  /** Endpoints of a dialect. */
  private static final String OF_A_DIALECT =
      """
        - path: /D/mock
          dialect: D
          upstreams: [{id: D-mock, url: "mock://D?tokens=20"}]
        - path: /D/small
          dialect: D
          upstreams: [{id: D-small, url: "mock://D?tokens=20", tpm_limit: 200}]
        - path: /D/raw
          dialect: D
          upstreams: [{id: D-raw, url: "URL"}]
        - path: /D/one
          dialect: D
          heartbeat_seconds: 0
          upstreams: [{id: D-one, url: "URL", concurrency: 1, inject_usage: false}]
      """;

  private static final String SPEND =
      "{\"model\":\"gpt-4o\",\"max_tokens\":100000,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";

  private static final String AGENT = "agent";
  private static final String SPENT = "spent";
  private static final String HELD = "\t";
  private static final String NO_BODY =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

  private static final RecordedEvents EVENTS = new RecordedEvents();
  private static RawUpstream upstream;
  private static RunningGateway gateway;

  @BeforeAll
  static void start() {
    PatientWaits.awaitLongDay();
    upstream = RawUpstream.start(RawUpstream.answering(HostileCase.OK));
    gateway = RunningGateway.start(routes());
    gateway.bean(EventBus.class).subscribe(EVENTS);
    HttpMessage spent =
        send(
            Transcript.wireForm(
                gateway.port(),
                "POST /spend/v1/chat/completions",
                SPEND,
                "Content-Type: application/json",
                "x-penstock-key: " + SPENT));
    assertThat(spent.status()).as(spent.text()).isEqualTo(200);
  }

  private static String routes() {
    String ofDialects =
        Stream.of("anthropic", "gemini", "openai")
            .map(each -> OF_A_DIALECT.replaceAll("\\bD\\b", each).replace("URL", upstream.url()))
            .collect(Collectors.joining());
    return """
    keys:
      - {name: agent, sha256: %s}
      - {name: spent, sha256: %s, budget_tokens_per_day: 100000}
    endpoints:
      - path: /spend
        dialect: openai
        upstreams: [{id: spend, url: "mock://openai?tokens=100000"}]
    """
            .formatted(KeySecrets.sha256(AGENT), KeySecrets.sha256(SPENT))
        + ofDialects;
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  @AfterEach
  void balances() {
    upstream.script(RawUpstream.answering(HostileCase.OK));
    gateway.awaitBalance();
    assertThat(upstream.drain()).as("requests at the upstream").isZero();
  }

  static Stream<AgentRecord> records() {
    return AgentRecord.all().stream().filter(each -> each.messages().isEmpty());
  }

  private static HttpMessage send(String wireForm) {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.port())) {
      return byteSocket.send(wireForm).answer();
    }
  }

  private static String wireForm(AgentRecord record, Request request, String path, String key) {
    return request.wireForm(gateway.port(), "/" + record.dialect() + path, key);
  }

  private static HttpMessage send(AgentRecord record, Request request, String path, String key) {
    return send(wireForm(record, request, path, key));
  }

  @ParameterizedTest
  @MethodSource("records")
  void request_isWeighed_answeredWhole_andSettledAsItsUsage(AgentRecord record) {
    String path = "/" + record.dialect() + "/mock";
    for (Request request : record.requests()) {
      long seen = EVENTS.all().size();
      HttpMessage answer = send(record, request, "/mock", AGENT);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertThat(answer.text()).as(request.start()).satisfies(text -> assertWhole(record, text));
      gateway.awaitBalance();
      List<Event> events = EVENTS.all().stream().skip(seen).toList();
      Event.Released released = only(Event.Released.class, events);
      TokenUsage usage = Objects.requireNonNull(only(Event.Called.class, events).usage());
      assertThat(released.endpoint()).isEqualTo(path);
      assertThat(released.cost().inputTokens())
          .isPositive()
          .isBetween(usage.inputTokens() / 2, usage.inputTokens() * 2);
      assertThat(only(Event.Settled.class, events).usedTokens())
          .isEqualTo(usage.inputTokens() + usage.outputTokens())
          .isGreaterThan(20);
    }
  }

  private static <T extends Event> T only(Class<T> kind, List<Event> events) {
    List<T> all = events.stream().filter(kind::isInstance).map(kind::cast).toList();
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private static void assertWhole(AgentRecord record, String stream) {
    String end = stream.strip().substring(stream.strip().lastIndexOf("\ndata: ") + 7);
    switch (record.dialect()) {
      case "anthropic" -> assertThat(end).contains("\"message_stop\"");
      case "gemini" -> assertThat(end).contains("\"finishReason\":\"STOP\"");
      default -> assertThat(end).containsAnyOf("[DONE]", "\"response.completed\"");
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void body_reachesTheUpstreamUnchanged(AgentRecord record) {
    for (Request request : record.requests()) {
      assertThat(send(record, request, "/raw", AGENT).status()).isEqualTo(200);
      String received = upstream.received().text();
      boolean asked = request.body().contains("\"stream_options\":");
      if (request.start().contains("/chat/completions") && !asked) {
        assertThat(received).contains("\"stream_options\":{\"include_usage\":true}");
        received = received.replaceFirst(",?\"stream_options\":\\{\"include_usage\":true},?", "");
      }
      assertThat(received).isEqualTo(request.body());
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void usedUpBudget_isToldInWordsThatStopTheAgent(AgentRecord record) {
    for (Request request : record.requests()) {
      HttpMessage answer = send(record, request, "/mock", SPENT);
      assertThat(answer.status()).isEqualTo(429);
      assertThat(answer.header("x-penstock-reason")).isEqualTo("key_budget");
      assertThat(answer.header("x-should-retry")).isEqualTo("false");
      assertThat(answer.text()).contains("100000 tokens a day, next at");
      switch (record.dialect()) {
        case "anthropic" -> assertThat(answer.text()).contains("\"rate_limit_error\"");
        case "gemini" -> assertThat(answer.text()).contains("QuotaFailure", "PerDay\"");
        default -> assertThat(answer.text()).contains("\"usage_limit_reached\"", "\"resets_at\"");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void hopelessRequest_isRefusedForGood(AgentRecord record) {
    for (Request request : record.requests()) {
      HttpMessage answer = send(record, request, "/small", AGENT);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.header("x-penstock-reason")).isEqualTo("cost_exceeds_capacity");
      assertThat(answer.text()).contains("exceeds window capacity 200");
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void unknownKey_isRefusedForGood(AgentRecord record) {
    HttpMessage answer = send(record, record.requests().getFirst(), "/mock", "unknown");
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.header("x-should-retry")).isEqualTo("false");
    assertThat(answer.text()).contains("key is not known");
  }

  @ParameterizedTest
  @MethodSource("records")
  void sameBytesAgain_takeTheirOldPlace(AgentRecord record) throws InterruptedException {
    String path = "/" + record.dialect() + "/one";
    Request request = record.requests().getFirst();
    Request newcomer = request.with(request.body() + "\n");
    long offered = gateway.count(path, TicketFate.OFFERED);
    long cancelled = gateway.count(path, TicketFate.CANCELLED);
    CountDownLatch served = new CountDownLatch(1);
    upstream.script(answeringAfter(served));
    try (ByteSocket running = connect(record, request.with(request.body() + HELD))) {
      upstream.received();
      ByteSocket lost = parked(record, request, 1);
      ByteSocket later = parked(record, newcomer, 2);
      lost.reset();
      gateway.await(path, TicketFate.WAITING, 1);
      ByteSocket repeated = parked(record, request, 2);
      served.countDown();
      for (ByteSocket each : List.of(running, repeated, later)) {
        assertThat(each.answer().status()).isEqualTo(200);
        each.close();
      }
    }
    assertThat(upstream.received().text()).isEqualTo(request.body());
    assertThat(upstream.received().text()).isEqualTo(newcomer.body());
    gateway.awaitBalance();
    assertThat(gateway.count(path, TicketFate.OFFERED)).isEqualTo(offered + 4);
    assertThat(gateway.count(path, TicketFate.CANCELLED)).isEqualTo(cancelled + 1);
  }

  /** Holds back the answer to a body that ends as {@link #HELD} does, and no other. */
  private static RawUpstream.Script answeringAfter(CountDownLatch served) {
    return (self, byteSocket) -> {
      HttpMessage request = self.read(byteSocket);
      if (request.text().endsWith(HELD)) {
        PatientWaits.await(served);
      }
      byteSocket.send(request.start().startsWith("HEAD ") ? NO_BODY : HostileCase.OK);
    };
  }

  private static ByteSocket connect(AgentRecord record, Request request) {
    return ByteSocket.to(gateway.port()).send(wireForm(record, request, "/one", AGENT));
  }

  /** Sends a request that waits; returns once so many wait. */
  private static ByteSocket parked(AgentRecord record, Request request, int waiting) {
    ByteSocket byteSocket = connect(record, request);
    gateway.await("/" + record.dialect() + "/one", TicketFate.WAITING, waiting);
    return byteSocket;
  }

  @ParameterizedTest
  @MethodSource("records")
  void callsThatCostNothing_passAWaitingOne(AgentRecord record) throws InterruptedException {
    Request request = record.requests().getFirst();
    CountDownLatch served = new CountDownLatch(1);
    upstream.script(answeringAfter(served));
    try (ByteSocket running = connect(record, request.with(request.body() + HELD))) {
      upstream.received();
      ByteSocket waiting = parked(record, request, 1);
      for (String start : light(record.dialect())) {
        Request light =
            new Request(start, request.headers(), start.startsWith("POST ") ? request.body() : "");
        try (ByteSocket byteSocket = connect(record, light)) {
          assertThat(byteSocket.head().status()).as(start).isEqualTo(200);
        }
        assertThat(upstream.received().start()).startsWith(start);
      }
      served.countDown();
      assertThat(running.answer().status()).isEqualTo(200);
      assertThat(waiting.answer().status()).isEqualTo(200);
      waiting.close();
    }
    upstream.received();
  }

  private static List<String> light(String dialect) {
    return switch (dialect) {
      case "anthropic" ->
          List.of("HEAD /", "GET /v1/models", "POST /v1/messages/count_tokens?beta=true");
      case "gemini" -> List.of("HEAD /", "GET /v1beta/models", "POST /v1beta/models/m:countTokens");
      default -> List.of("HEAD /", "GET /v1/models", "POST /v1/responses/input_tokens");
    };
  }
}
