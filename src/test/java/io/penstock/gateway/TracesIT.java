package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.TicketOperations;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.TraceCollector;
import io.penstock.fake.TraceCollector.Span;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests what a collector of traces learns about requests, and what upstreams learn about their
 * traces.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class TracesIT extends HostileCase {
  private static final String SHORT = "/short/v1/chat/completions";
  private static final String USED =
      "{\"model\":\"m-2026\",\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,"
          + "\"total_tokens\":10}}";

  /**
   * Headers of traces that are not kept; the second bit of the flags means that the id is random.
   */
  private static final String NOT_KEPT = "00-[0-9a-f]{32}-[0-9a-f]{16}-0[02]";

  private static final AtomicInteger TRACES = new AtomicInteger(0x1000);

  private final TraceCollector traceCollector = TraceCollector.start();

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s"}]}
      - path: /short
        dialect: openai
        queue_timeout: 0.2
        upstreams: [{id: s, url: "%1$s"}]
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {
      "--management.opentelemetry.tracing.export.otlp.endpoint="
          + traceCollector.url()
          + "/v1/traces",
      "--management.opentelemetry.tracing.export.otlp.headers.x-tenant=t",
      "--management.tracing.sampling.probability=0"
    };
  }

  @AfterAll
  void stopCollector() {
    traceCollector.close();
  }

  /** Lets the upstream serve a request, so that failures of other tests do not count any more. */
  @BeforeEach
  void upstreamIsWell() {
    RunningGateway.awaiting()
        .until(() -> ask(request(CHAT, ASK, parent(next(), "00"))).status() == 200);
    upstream.drain();
  }

  private static String next() {
    return "%032x".formatted(0xabcdef0000L + TRACES.incrementAndGet());
  }

  private static String request(String target, String body, String... headers) {
    return ByteSocket.request("POST", target, body)
        .replace("Host: penstock\r\n", "Host: penstock\r\n" + String.join("", headers));
  }

  private static String parent(String trace, String flags) {
    return "traceparent: 00-" + trace + "-00f067aa0ba902b7-" + flags + "\r\n";
  }

  private static String answer(String status, String body) {
    return "HTTP/1.1 "
        + status
        + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  /** Waits for that many spans of a trace; returns them in the order in which they began. */
  private List<Span> spans(String of, int many) {
    RunningGateway.awaiting().until(() -> traceCollector.of(of).size() >= many);
    List<Span> spans =
        traceCollector.of(of).stream()
            .sorted(Comparator.comparingLong(Span::begunNanos).thenComparingLong(Span::kind))
            .toList();
    assertThat(spans).hasSize(many);
    return spans;
  }

  /** Waits for a ticket in the queue; a ticket on its way there counts as waiting too. */
  private void awaitParked() {
    TicketOperations ticketOperations = gateway.bean(EndpointRegistry.class).tickets();
    RunningGateway.awaiting().until(() -> !ticketOperations.ages(List.of(), 0).isEmpty());
  }

  private static Span named(List<Span> spans, String name) {
    return spans.stream().filter(span -> span.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void servedRequest_isASpanOfItsClientsTrace_withOneForTheCall() throws InterruptedException {
    upstream.script(RawUpstream.answering(answer("200 OK", USED)));
    String trace = next();
    HttpMessage got = ask(request(CHAT, ASK, parent(trace, "01"), "tracestate: v=1\r\n"));
    assertThat(got.status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    List<Span> spans = spans(trace, 2);
    Span whole = named(spans, "POST /openai");
    assertThat(whole.parent()).isEqualTo("00f067aa0ba902b7");
    assertThat(whole.kind()).isEqualTo(2);
    assertThat(whole.failed()).isFalse();
    assertThat(whole.attributes())
        .containsEntry("http.request.method", "POST")
        .containsEntry("http.route", "/openai")
        .containsEntry("url.path", CHAT)
        .containsEntry("http.response.status_code", "200")
        .containsEntry("penstock.request_id", got.header("x-request-id"))
        .containsEntry("penstock.key", "anonymous")
        .containsEntry("penstock.cost.tokens", got.header("x-penstock-cost"));
    Span call = named(spans, "upstream");
    assertThat(call.parent()).isEqualTo(whole.id());
    assertThat(call.kind()).isEqualTo(3);
    assertThat(call.begunNanos()).isGreaterThanOrEqualTo(whole.begunNanos());
    assertThat(call.endedNanos()).isLessThanOrEqualTo(whole.endedNanos());
    assertThat(call.attributes())
        .containsEntry("penstock.upstream", "o")
        .containsEntry("gen_ai.operation.name", "chat")
        .containsEntry("gen_ai.provider.name", "openai")
        .containsEntry("gen_ai.request.model", "m")
        .containsEntry("gen_ai.response.model", "m-2026")
        .containsEntry("gen_ai.usage.input_tokens", "7")
        .containsEntry("gen_ai.usage.output_tokens", "3")
        .containsEntry("http.response.status_code", "200")
        .containsEntry("server.address", "127.0.0.1")
        .containsEntry("server.port", Integer.toString(upstream.port()))
        .doesNotContainKey("error.type");
    assertThat(asked.all("traceparent")).containsExactly("00-" + trace + "-" + call.id() + "-01");
    assertThat(asked.all("tracestate")).containsExactly("v=1");
    assertThat(traceCollector.targets()).containsOnly("/v1/traces");
    assertThat(traceCollector.headers()).anyMatch(line -> line.equalsIgnoreCase("x-tenant: t"));
  }

  @Test
  void requestThatWaits_hasASpanForThat_beforeItsCall() throws InterruptedException {
    gateway.endpoint(CHAT).pause(true);
    String waits = next();
    try (ByteSocket byteSocket = connect().send(request(CHAT, ASK, parent(waits, "01")))) {
      awaitParked();
      gateway.endpoint(CHAT).pause(false);
      assertThat(byteSocket.answer().status()).isEqualTo(200);
    } finally {
      gateway.endpoint(CHAT).pause(false);
    }
    upstream.received();
    List<Span> spans = spans(waits, 3);
    Span whole = named(spans, "POST /openai");
    Span park = named(spans, "park");
    Span call = named(spans, "upstream");
    assertThat(List.of(park.parent(), call.parent())).containsOnly(whole.id());
    assertThat(park.kind()).isEqualTo(1);
    assertThat(park.begunNanos()).isGreaterThanOrEqualTo(whole.begunNanos());
    assertThat(call.begunNanos()).isGreaterThanOrEqualTo(park.endedNanos());
    assertThat(park.attributes())
        .containsEntry("penstock.endpoint", "/openai")
        .containsEntry("penstock.outcome", "released")
        .containsEntry("penstock.ticket", whole.get("penstock.ticket"))
        .containsKey("penstock.cost.tokens");
  }

  @Test
  void streamThatNamesItsModel_hasItInItsSpan_brokenOffOrNot() throws InterruptedException {
    String event = "data: {\"model\":\"\\ud83d<b>\\u0000\",\"choices\":[]}\n\n";
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
            + "Content-Length: ";
    for (int missing : new int[] {0, 100}) {
      String bytes = Integer.toString(event.length() + missing);
      upstream.script(RawUpstream.answering(head + bytes + "\r\n\r\n" + event));
      String trace = next();
      try (ByteSocket byteSocket = connect().send(request(CHAT, ASK, parent(trace, "01")))) {
        assertThat(byteSocket.head().status()).isEqualTo(200);
        upstream.received();
        assertThat(named(spans(trace, 2), "upstream").get("gen_ai.response.model"))
            .isEqualTo("?<b>\0");
      }
    }
  }

  @Test
  void requestThatWaitsInVain_saysWhatHeldIt() {
    gateway.endpoint(SHORT).pause(true);
    String waits = next();
    try {
      refused(ask(request(SHORT, ASK, parent(waits, "01"))), 429, "queue_timeout");
    } finally {
      gateway.endpoint(SHORT).pause(false);
    }
    List<Span> spans = spans(waits, 2);
    assertThat(named(spans, "park").attributes())
        .containsEntry("penstock.outcome", "refused")
        .containsEntry("penstock.reason", "queue_timeout")
        .containsEntry("penstock.held_by", "endpoint_paused");
    assertThat(named(spans, "POST /short").attributes())
        .containsEntry("penstock.reason", "queue_timeout")
        .containsEntry("http.response.status_code", "429");
  }

  @Test
  void clientThatGoesWhileItWaits_isCancelled() {
    gateway.endpoint(CHAT).pause(true);
    String waits = next();
    try (ByteSocket byteSocket = connect().send(request(CHAT, ASK, parent(waits, "01")))) {
      gateway.await(CHAT, TicketFate.WAITING, 1);
      byteSocket.reset();
      List<Span> spans = spans(waits, 2);
      assertThat(named(spans, "park").attributes()).containsEntry("penstock.outcome", "cancelled");
      assertThat(named(spans, "POST /openai").attributes())
          .containsEntry("penstock.outcome", "cancelled")
          .doesNotContainKey("http.response.status_code");
    } finally {
      gateway.endpoint(CHAT).pause(false);
    }
  }

  @Test
  void eachAttempt_hasASpan_andItsUpstreamIsToldOfThatOne() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          boolean first = calls.incrementAndGet() == 1;
          byteSocket.send(
              first ? answer("500 Internal Server Error", "{}") : answer("200 OK", USED));
        });
    String twice = next();
    assertThat(ask(request(CHAT, ASK, parent(twice, "01"))).status()).isEqualTo(200);
    List<String> spans =
        List.of(
            upstream.received().header("traceparent"), upstream.received().header("traceparent"));
    RunningGateway.awaiting().until(() -> !traceCollector.of(twice).isEmpty());
    RunningGateway.awaiting()
        .until(() -> traceCollector.of(twice).stream().anyMatch(span -> span.kind() == 2));
    List<Span> attempts =
        traceCollector.of(twice).stream().filter(span -> span.name().equals("upstream")).toList();
    assertThat(attempts).hasSize(2);
    assertThat(attempts)
        .extracting(span -> "00-" + twice + "-" + span.id() + "-01")
        .containsExactlyElementsOf(spans);
    assertThat(attempts.getFirst().get("error.type")).isEqualTo("500");
    assertThat(attempts.getFirst().failed()).isTrue();
    assertThat(attempts.getLast().get("error.type")).isNull();
    assertThat(attempts.getLast().failed()).isFalse();
  }

  @Test
  void upstreamThatDoesNotAnswer_isAnError() throws InterruptedException {
    upstream.script((self, byteSocket) -> self.read(byteSocket));
    String broken = next();
    refused(ask(request(CHAT, ASK, parent(broken, "01"))), 502, "upstream_unreachable");
    upstream.received();
    upstream.received();
    RunningGateway.awaiting()
        .until(() -> traceCollector.of(broken).stream().anyMatch(span -> span.kind() == 2));
    Span whole = named(traceCollector.of(broken), "POST /openai");
    assertThat(whole.failed()).isTrue();
    assertThat(whole.attributes())
        .containsEntry("error.type", "502")
        .containsEntry("penstock.reason", "upstream_unreachable");
    assertThat(named(traceCollector.of(broken), "upstream").get("error.type"))
        .isEqualTo("upstream_unreachable");
  }

  @Test
  void whoIsNotSampled_isNotTold_butItsUpstreamIsSoToo() throws InterruptedException {
    String unsampled = next();
    String kept = next();
    ask(request(CHAT, ASK, parent(unsampled, "00"), "tracestate: v=1\r\n"));
    assertThat(upstream.received().all("traceparent"))
        .singleElement()
        .asString()
        .startsWith("00-" + unsampled + "-")
        .endsWith("-00");
    ask(request(CHAT, ASK));
    String begun = upstream.received().header("traceparent");
    assertThat(begun).matches(NOT_KEPT); // traces that begin at the gateway are not kept
    ask(request(CHAT, ASK, parent(kept, "01")));
    upstream.received();
    spans(kept, 2); // spans are sent in order
    assertThat(traceCollector.of(unsampled)).isEmpty();
    assertThat(traceCollector.of(begun.substring(3, 35))).isEmpty();
  }

  @Test
  void headersOfATrace_areLeftOutWhereTheyAreRefused_butNotThoseOfTheClient()
      throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          boolean traced = self.read(byteSocket).header("traceparent") != null;
          byteSocket.send(
              traced ? answer("400 Bad Request", "Header not allowed: Traceparent") : OK);
        });
    assertThat(ask(request(CHAT, ASK)).status()).isEqualTo(200);
    assertThat(upstream.received().header("traceparent")).isNotNull();
    assertThat(upstream.received().header("traceparent")).isNull();
    assertThat(ask(request(CHAT, ASK, parent(next(), "00"))).status()).isEqualTo(400);
    assertThat(upstream.drain()).isEqualTo(1);
  }

  @Test
  void parentThatCannotBeRead_beginsAnotherTrace() throws InterruptedException {
    for (String bad : new String[] {"nonsense", "00-" + "0".repeat(32) + "-00f067aa0ba902b7-01"}) {
      ask(request(CHAT, ASK, "traceparent: " + bad + "\r\n", "tracestate: v=1\r\n"));
      HttpMessage asked = upstream.received();
      assertThat(asked.all("traceparent"))
          .singleElement()
          .asString()
          .matches(NOT_KEPT)
          .doesNotContain("00f067aa0ba902b7");
      assertThat(asked.all("tracestate")).isEmpty();
    }
  }

  @Test
  void whatComesToNoEndpoint_isASpanToo() {
    String lost = next();
    refused(ask(request("/nowhere", ASK, parent(lost, "01"))), 404, "no_endpoint");
    Span whole = spans(lost, 1).getFirst();
    assertThat(whole.name()).isEqualTo("POST");
    assertThat(whole.attributes())
        .containsEntry("penstock.reason", "no_endpoint")
        .containsEntry("http.response.status_code", "404")
        .doesNotContainKey("http.route");
  }
}
