package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RecordedEvents;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests errors that providers state in answers with status 200, in each dialect: what the client
 * has not received is repeated like the same refusal by its status, and what it has received counts
 * as failed.
 */
@Hostile(Hostile.By.UPSTREAM)
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class AnswerErrorIT extends HostileCase {
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final int MOST_ENDPOINTS = 80;

  private int endpoints;
  private RecordedEvents events = new RecordedEvents();

  /**
   * Returns an endpoint of each dialect for each test, because what one shows would disturb others.
   */
  @Override
  String routes() {
    StringBuilder routes = new StringBuilder("endpoints:\n");
    for (int at = 0; at < MOST_ENDPOINTS; at++) {
      for (String dialect : List.of("openai", "anthropic", "gemini", "azure", "mistral")) {
        String two = dialect + at;
        routes.append(
            """
              - path: /%1$s
                dialect: %2$s
                upstreams:
                  - {id: %1$s-1, url: "%%1$s", api_key: sk-upstream, rpm: 6000}
                  - {id: %1$s-2, url: "%%1$s", api_key: sk-upstream, rpm: 6000}
              - path: /one-%1$s
                dialect: %2$s
                upstreams: [{id: one-%1$s, url: "%%1$s", api_key: sk-upstream, rpm: 6000}]
            """
                .formatted(two, dialect));
      }
    }
    return routes
        + """
          - path: /own
            dialect: openai
            upstreams: [{id: own, url: "%1$s", api_key: passthrough, rpm: 6000}]
        """;
  }

  /** Returns the beginning of the path of an endpoint that no other test uses. */
  private String endpoint(String dialect) {
    return dialect + endpoints++;
  }

  @BeforeEach
  void record() {
    events = new RecordedEvents();
    gateway.bean(EventBus.class).subscribe(events);
  }

  /** An error of a dialect, as a provider states it in an answer with status 200. */
  record Case(
      String dialect, String call, String opening, String content, String error, int status) {
    @Override
    public String toString() {
      return dialect + call + " " + status + " " + error.lines().findFirst().orElse("");
    }

    boolean streams() {
      return !error.startsWith("{") && !error.startsWith("[");
    }
  }

  private static String chat(String dialect) {
    return switch (dialect) {
      case "azure" -> "/openai/deployments/%s/chat/completions?api-version=2024-10-21";
      case "anthropic" -> "/v1/messages";
      case "gemini" -> "/v1beta/models/%s:streamGenerateContent";
      default -> "/v1/chat/completions";
    };
  }

  private static final String ROLE =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
  private static final String TEXT =
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello you\"}}]}\n\n";
  private static final String START =
      "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"a\","
          + "\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n";
  private static final String DELTA =
      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
          + "\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello you\"}}\n\n";
  private static final String CREATED =
      "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\","
          + "\"status\":\"in_progress\",\"error\":null}}\n\n";
  private static final String OUTPUT =
      "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
          + "\"delta\":\"Hello you\"}\n\n";
  private static final String PART =
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hello you\"}]}}]}\n\n";

  private static Case openai(String error, int status) {
    return new Case("openai", chat("openai"), ROLE, TEXT, error, status);
  }

  static Stream<Case> passing() {
    return Stream.of(
        openai("data: {\"error\":{\"code\":\"server_error\",\"message\":\"no\"}}\n\n", 500),
        openai("data: {\"error\":{\"code\":503,\"message\":\"no\"}}\n\ndata: [DONE]\n\n", 503),
        openai("{\"error\":{\"type\":\"server_error\",\"message\":\"no\"}}", 500),
        openai(
            "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"error\","
                + "\"error\":{\"code\":502,\"message\":\"no\"}}]}",
            502),
        openai("{\"base_resp\":{\"status_code\":1001,\"status_msg\":\"timeout\"}}", 504),
        openai("{\"code\":50501,\"message\":\"system busy\",\"data\":null}", 500),
        new Case(
            "openai",
            "/v1/responses",
            CREATED,
            OUTPUT,
            "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"error\":"
                + "{\"code\":\"server_error\",\"message\":\"no\"},\"status\":\"failed\"}}\n\n",
            500),
        new Case(
            "openai",
            "/v1/responses",
            CREATED,
            OUTPUT,
            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_is_overloaded\","
                + "\"message\":\"no\",\"param\":null}\n\n",
            503),
        new Case(
            "openai",
            "/v1/responses",
            "",
            "",
            "{\"object\":\"response\",\"status\":\"failed\",\"error\":{\"code\":\"server_error\","
                + "\"message\":\"no\"},\"output\":[]}",
            500),
        new Case("openai", "/v1/embeddings", "", "", "{\"error\":{\"code\":500}}", 500),
        new Case(
            "anthropic",
            chat("anthropic"),
            START,
            DELTA,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                + "\"message\":\"Overloaded\"}}\n\n",
            529),
        new Case(
            "anthropic",
            chat("anthropic"),
            START,
            DELTA,
            "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"}}",
            500),
        new Case(
            "gemini",
            chat("gemini") + "?alt=sse",
            ": hi\n\n",
            PART,
            "data: {\"error\":{\"code\":503,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}\n\n",
            503),
        new Case(
            "gemini",
            chat("gemini"),
            "",
            "",
            "[{\"error\":{\"code\":503,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}]",
            503),
        new Case(
            "azure",
            chat("azure"),
            ROLE,
            TEXT,
            "data: {\"error\":{\"code\":\"InternalServerError\",\"message\":\"no\"}}\n\n",
            500),
        new Case(
            "mistral",
            chat("mistral"),
            ROLE,
            TEXT,
            "data: {\"object\":\"error\",\"message\":\"no\",\"type\":\"internal_error\","
                + "\"code\":\"1000\"}\n\n",
            500));
  }

  private static String request(String target) {
    return ByteSocket.request("POST", target.replace("%s", "m"), ASK)
        .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-timeout: 20\r\n");
  }

  private static String plain(String body) {
    return ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + "Content-Length: %d\r\n\r\n%s")
        .formatted(body.getBytes(UTF_8).length, body);
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.getBytes(UTF_8).length) + "\r\n" + text + "\r\n";
  }

  private static String stream(String... pieces) {
    StringBuilder all = new StringBuilder(STREAM_HEAD);
    for (String piece : pieces) {
      all.append(chunk(piece));
    }
    return all.append("0\r\n\r\n").toString();
  }

  /** Returns an answer that begins with the error, perhaps behind what opens each stream. */
  private static String failing(Case error) {
    if (!error.streams()) {
      return plain(error.error());
    }
    return error.opening().isEmpty()
        ? stream(error.error())
        : stream(error.opening(), error.error());
  }

  /** Answers the first request that comes with one answer, and those after it with another. */
  private void first(String answer, String then) {
    AtomicInteger requests = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(requests.getAndIncrement() == 0 ? answer : then);
        });
  }

  private Upstream upstream(String id) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
  }

  private List<String> errors() {
    gateway.awaitBalance();
    return events.of(Event.Called.class).stream()
        .map(each -> String.valueOf(each.error()))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("passing")
  void errorBeforeTheFirstByte_isRepeatedElsewhere(Case error) {
    first(failing(error), OK);
    HttpMessage answer = ask(request("/" + endpoint(error.dialect()) + error.call()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{}");
    upstream.received();
    upstream.received();
    assertThat(errors()).containsExactly(String.valueOf(error.status()), "null");
  }

  @ParameterizedTest
  @MethodSource("passing")
  void errorBeforeTheFirstByteOfTheOnlyUpstream_isRepeated(Case error) {
    first(failing(error), OK);
    HttpMessage answer = ask(request("/one-" + endpoint(error.dialect()) + error.call()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{}");
    upstream.received();
    upstream.received();
  }

  @ParameterizedTest
  @MethodSource("passing")
  void errorAfterTheFirstByte_passesUnchangedAndCountsAsFailed(Case error) throws Exception {
    if (!error.streams()) {
      return;
    }
    String endpoint = endpoint(error.dialect());
    CountDownLatch begun = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD + chunk(error.content()));
          PatientWaits.await(begun);
          byteSocket.send(chunk(error.error()) + "0\r\n\r\n");
        });
    try (ByteSocket client = connect()) {
      client.send(request("/one-" + endpoint + error.call()));
      assertThat(client.head().status()).isEqualTo(200);
      String first = client.chunk();
      assertThat(first).isEqualTo(error.content());
      begun.countDown();
      StringBuilder rest = new StringBuilder();
      for (String piece = client.chunk(); !piece.isEmpty(); piece = client.chunk()) {
        rest.append(piece);
      }
      assertThat(rest.toString()).isEqualTo(error.error());
    }
    upstream.received();
    assertThat(errors()).containsExactly(String.valueOf(error.status()));
    assertThat(Objects.requireNonNull(upstream("one-" + endpoint).trouble()).what())
        .startsWith(String.valueOf(error.status()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16, 64})
  void errorThatArrivesInPieces_isWaitedFor(int size) {
    Case error = passing().filter(each -> each.status() == 529).findFirst().orElseThrow();
    AtomicInteger requests = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          if (requests.getAndIncrement() > 0) {
            byteSocket.send(OK);
            return;
          }
          int begins = error.error().indexOf("overloaded");
          byteSocket.send(
              STREAM_HEAD + chunk(error.opening() + error.error().substring(0, begins)));
          for (int at = begins; at < error.error().length(); at += size) {
            int end = Math.min(error.error().length(), at + size);
            byteSocket.send(chunk(error.error().substring(at, end)));
          }
          byteSocket.send("0\r\n\r\n");
        });
    HttpMessage answer = ask(request("/" + endpoint(error.dialect()) + error.call()));
    assertThat(answer.text()).isEqualTo("{}");
    upstream.received();
    upstream.received();
    assertThat(errors()).containsExactly("529", "null");
  }

  @Test
  void errorThatNeverEnds_passesInTheEnd() {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(
              STREAM_HEAD + chunk("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"));
          byteSocket.awaitEnd();
        });
    try (ByteSocket client = connect()) {
      client.send(request("/one-" + endpoint("anthropic") + "/v1/messages"));
      assertThat(client.head().status()).isEqualTo(200);
      assertThat(client.chunk()).startsWith("event: error");
    }
    upstream.received();
    upstream.received();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void errorInACompressedAnswer_isRepeated(boolean stream) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      String json = "{\"error\":{\"code\":503,\"message\":\"no\"}}";
      gzip.write((stream ? "data: " + json + "\n\n" : json).getBytes(UTF_8));
    }
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Encoding: gzip\r\nConnection: close\r\n"
            + "Content-Length: %d\r\n\r\n";
    byte[] begin =
        head.formatted(stream ? "text/event-stream" : "application/json", bytes.size())
            .getBytes(ISO_8859_1);
    AtomicInteger requests = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          if (requests.getAndIncrement() == 0) {
            byteSocket.send(begin);
            byteSocket.send(bytes.toByteArray());
          } else {
            byteSocket.send(OK);
          }
        });
    assertThat(ask(request("/" + endpoint("openai") + chat("openai"))).text()).isEqualTo("{}");
    upstream.received();
    upstream.received();
    assertThat(errors()).containsExactly("503", "null");
  }

  @Test
  void errorBehindOutputThatArrivedWithIt_isRepeatedAndCharged() {
    first(stream(ROLE, TEXT, "data: {\"error\":{\"code\":502,\"message\":\"no\"}}\n\n"), OK);
    assertThat(ask(request("/" + endpoint("openai") + chat("openai"))).text()).isEqualTo("{}");
    upstream.received();
    upstream.received();
    assertThat(errors()).containsExactly("502", "null");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no such thing\"}}",
        "{\"error\":{\"code\":404,\"message\":\"no such model\"}}",
        "data: {\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"long\"}}\n\n",
      })
  void errorOfTheRequest_passesUnchanged(String body) {
    upstream.script(RawUpstream.answering(body.startsWith("{") ? plain(body) : stream(body)));
    HttpMessage answer = ask(request("/" + endpoint("openai") + chat("openai")));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo(body);
    upstream.received();
    assertThat(errors()).containsExactly(body.contains("404") ? "404" : "400");
  }

  @Test
  void timeThatTheErrorStates_isAPause() {
    String endpoint = endpoint("gemini");
    String body =
        "{\"error\":{\"code\":429,\"message\":\"Quota\",\"status\":\"RESOURCE_EXHAUSTED\","
            + "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\","
            + "\"retryDelay\":\"50s\"}]}}";
    upstream.script(RawUpstream.answering(stream("data: " + body + "\n\n")));
    String request =
        request("/one-" + endpoint + chat("gemini")).replace("timeout: 20", "timeout: 1");
    ask(request);
    upstream.received();
    HttpMessage later = ask(request);
    assertThat(later.status()).as(later.text()).isIn(429, 503);
    assertThat(Integer.parseInt(Objects.requireNonNull(later.header("retry-after"))))
        .isBetween(11, 51);
    assertThat(errors()).containsExactly("429");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"slower\"}}",
        "data: {\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"slower\"}}\n\n"
      })
  void refusalOfTheClientsOwnAccount_passesAndPausesNothing(String body) {
    upstream.script(RawUpstream.answering(body.startsWith("{") ? plain(body) : stream(ROLE, body)));
    for (int time = 0; time < 4; time++) {
      HttpMessage answer =
          ask(
              request("/own/v1/chat/completions")
                  .replace("Host: a\r\n", "Host: a\r\nAuthorization: Bearer own\r\n"));
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).endsWith(body);
      upstream.received();
    }
    assertThat(errors()).containsExactly("429", "429", "429", "429");
    long now = gateway.bean(Ticker.class).nanos();
    Upstream own = upstream("own");
    assertThat(own.pause(own.pool("m", now)).ends(now)).isEqualTo(now);
    assertThat(own.health().onTrial()).isFalse();
  }

  private List<Long> used() {
    gateway.awaitBalance();
    return events.of(Event.Settled.class).stream().map(Event.Settled::usedTokens).toList();
  }

  @Test
  void errorBeforeTheFirstByte_costsWhatItsStatusCosts() {
    String path = "/one-" + endpoint("anthropic") + chat("anthropic");
    upstream.script(RawUpstream.answering(plain("{\"error\":{\"code\":404}}")));
    ask(request(path));
    upstream.received();
    assertThat(used()).containsExactly(0L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void errorAfterTheFirstByte_costsWhatPassed(boolean states) {
    CountDownLatch begun = new CountDownLatch(1);
    String opening = states ? START + DELTA : DELTA;
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD + chunk(opening));
          PatientWaits.await(begun);
          byteSocket.send(
              chunk("data: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}\n\n")
                  + "0\r\n\r\n");
        });
    try (ByteSocket client = connect()) {
      client.send(request("/one-" + endpoint("anthropic") + chat("anthropic")));
      client.head();
      assertThat(client.chunk()).isEqualTo(opening);
      begun.countDown();
      assertThat(client.chunk()).contains("rate_limit_error");
      assertThat(client.chunk()).isEmpty();
    }
    upstream.received();
    assertThat(used()).hasSize(1);
    if (states) {
      assertThat(used()).containsExactly(9L + 3);
    } else {
      assertThat(used().getFirst()).as("the expected input, and the output").isGreaterThan(3);
    }
    assertThat(errors()).containsExactly("429");
  }

  @Test
  void upstreamThatAlwaysFailsWithinItsAnswers_becomesUnhealthy() throws Exception {
    String endpoint = "one-" + endpoint("mistral");
    String error = "data: {\"error\":{\"code\":500,\"message\":\"no\"}}\n\n";
    for (int time = 0; time < 3; time++) {
      CountDownLatch begun = new CountDownLatch(1);
      upstream.script(
          (self, byteSocket) -> {
            self.read(byteSocket);
            byteSocket.send(STREAM_HEAD + chunk(TEXT));
            PatientWaits.await(begun);
            byteSocket.send(chunk(error) + "0\r\n\r\n");
          });
      try (ByteSocket client = connect()) {
        client.send(request("/" + endpoint + chat("mistral")));
        assertThat(client.head().status()).isEqualTo(200);
        assertThat(client.chunk()).isEqualTo(TEXT);
        begun.countDown();
        assertThat(client.chunk()).isEqualTo(error);
        assertThat(client.chunk()).isEmpty();
      }
      upstream.received();
      gateway.awaitBalance();
    }
    assertThat(upstream(endpoint).health().onTrial()).isTrue();
  }

  @Test
  void ordinaryAnswersThatSpeakOfErrors_pass() {
    String body =
        "{\"id\":\"c\",\"error\":null,\"choices\":[{\"message\":{\"content\":"
            + "\"{\\\"error\\\":{\\\"code\\\":500}}\"},\"finish_reason\":\"stop\"}],"
            + "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}";
    upstream.script(RawUpstream.answering(plain(body)));
    assertThat(ask(request("/" + endpoint("openai") + chat("openai"))).text()).isEqualTo(body);
    upstream.received();
    assertThat(errors()).containsExactly("null");
  }
}
