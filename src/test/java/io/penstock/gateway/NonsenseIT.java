package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests answers of upstreams that make no sense: the client gets them unchanged, the log has one
 * line about each, and nothing stays unsettled. Each case has an upstream of its own, because after
 * a line about an upstream there is no other for a minute.
 */
@Hostile(Hostile.By.UPSTREAM)
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class NonsenseIT extends HostileCase {
  private static final String JSON = "Content-Type: application/json\r\n";
  private static final String EVENTS = "Content-Type: text/event-stream\r\n";
  private static final String[] DIALECTS = {"openai", "anthropic", "gemini"};
  private static final String[] CALLS = {
    "/v1/chat/completions", "/v1/messages", "/v1beta/models/m:generateContent"
  };
  private static final String[] STREAMED = {
    "/v1/chat/completions", "/v1/messages", "/v1beta/models/m:streamGenerateContent?alt=sse"
  };

  /** The way in which each dialect states usage: input, output. */
  private static final String[] USAGES = {
    "{\"choices\":[{\"delta\":{}}],\"usage\":{\"prompt_tokens\":%s,\"completion_tokens\":%s}}",
    "{\"type\":\"message_delta\",\"usage\":{\"input_tokens\":%s,\"output_tokens\":%s}}",
    "{\"candidates\":[],\"usageMetadata\":{\"promptTokenCount\":%s,\"candidatesTokenCount\":%s}}"
  };

  private static final String[] ASKS = {
    ASK, ASK, "{\"contents\":[{\"parts\":[{\"text\":\"" + PROMPT + "\"}]}]}"
  };

  /** An answer in one dialect. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Case(
      String what, int dialect, boolean stream, int status, String head, byte[] body, int lines) {}

  private static final List<Case> CASES = cases();

  private static List<Case> cases() {
    List<Case> all = new ArrayList<>();
    for (int dialect = 0; dialect < DIALECTS.length; dialect++) {
      String good = USAGES[dialect].formatted("7", "5");
      figures(all, dialect);
      streams(all, dialect, good);
      bodies(all, dialect, good);
      refusals(all, dialect);
    }
    return all;
  }

  private static void figures(List<Case> all, int dialect) {
    for (String figure : List.of("-1", "-9223372036854775808", "1e30", "1.5", "\"5x\"", "true")) {
      String body = USAGES[dialect].formatted("7", figure);
      all.add(json("output is " + figure, dialect, body, 1));
      all.add(events("output is " + figure, dialect, "data: " + body + "\n\n", 1));
      all.add(json("input is " + figure, dialect, USAGES[dialect].formatted(figure, "5"), 1));
    }
    all.add(json("usage is absurdly large", dialect, USAGES[dialect].formatted("7", "1e12"), 1));
    String[] contradictions = {
      USAGES[0].formatted("7", "5,\"total_tokens\":2"),
      USAGES[1].formatted("7", "5,\"cache_read_input_tokens\":-8"),
      USAGES[2].formatted("7", "5,\"totalTokenCount\":2")
    };
    all.add(json("usage contradicts itself", dialect, contradictions[dialect], 1));
    String more = "data: " + USAGES[dialect].formatted("7", "50") + "\n\n";
    String fewer = "data: " + USAGES[dialect].formatted("7", "5") + "\n\n";
    all.add(events("usage falls", dialect, more + fewer, 1));
    all.add(json("there is no usage", dialect, "{}", 0));
  }

  private static void streams(List<Case> all, int dialect, String good) {
    String event = "data: " + good + "\n";
    String line = "x".repeat(1 << 20);
    all.add(events("no blank lines", dialect, "data: {\"a\":1}\n" + event, 1));
    all.add(events("a long line that is no field", dialect, line + "\n" + event + "\n", 0));
    all.add(events("a long event", dialect, "data: " + line + "\n\n" + event + "\n", 1));
    all.add(events("comments", dialect, ": a\n\n: b\n" + event + "\n: c\n\n", 0));
    all.add(events("a byte order mark", dialect, "\uFEFF" + event + "\n", 0));
    all.add(events("trailing garbage", dialect, event + "\n\u0000\u0001 garbage", 0));
    all.add(events("no JSON", dialect, "data: {\"a\n\n" + event + "\n", 1));
  }

  private static void bodies(List<Case> all, int dialect, String good) {
    all.add(json("trailing garbage", dialect, good + "<html>", 1));
    all.add(json("a byte order mark", dialect, "\uFEFF" + good, 0));
    all.add(json("half of it", dialect, good.substring(0, good.length() / 2), 1));
    all.add(json("no JSON", dialect, "Service is fine", 1));
    byte[] zipped = zipped(good);
    all.add(coded("gzip", dialect, zipped, 0));
    all.add(coded("gzip", dialect, good.getBytes(UTF_8), 1));
    all.add(coded("gzip", dialect, Arrays.copyOf(zipped, zipped.length / 2), 1));
    all.add(coded("br", dialect, zipped, 1));
    all.add(coded("nonsense", dialect, zipped, 1));
  }

  private static void refusals(List<Case> all, int dialect) {
    List<String> heads =
        List.of(
            "Retry-After: when it suits\r\nretry-after-ms: NaN\r\n",
            "x-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: banana\r\n"
                + "x-ratelimit-limit-tokens: many\r\nx-ratelimit-reset-requests: -1h\r\n",
            "anthropic-ratelimit-tokens-remaining: -5\r\n"
                + "anthropic-ratelimit-tokens-reset: 2026-13-45T99:00:00Z\r\n");
    for (int i = 0; i < heads.size(); i++) {
      String head = heads.get(i);
      // each provider's own headers are read, and the retry time only on an error
      int own = i == dialect + 1 ? 1 : 0;
      int onError = i == 0 ? 1 : own;
      all.add(new Case("429 " + head, dialect, false, 429, JSON + head, bytes("{}"), onError));
      all.add(new Case("200 " + head, dialect, false, 200, JSON + head, bytes("{}"), own));
    }
    String delay =
        "{\"error\":{\"code\":429,\"message\":\"no\",\"status\":\"RESOURCE_EXHAUSTED\","
            + "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\","
            + "\"retryDelay\":\"soon\"},{\"@type\":7},9]}}";
    all.add(new Case("429 with RetryInfo", dialect, false, 429, JSON, bytes(delay), 1));
    all.add(new Case("429 that is no JSON", dialect, false, 429, JSON, bytes("{\"error\":"), 0));
    String rate = "{\"error\":{\"message\":\"Rate limit reached\",\"type\":\"rate_limit_error\"}}";
    int own = dialect == 0 ? 1 : 0;
    all.add(new Case("429 of a rate", dialect, false, 429, JSON + heads.get(1), bytes(rate), own));
  }

  private static Case json(String what, int dialect, String body, int lines) {
    return new Case(what, dialect, false, 200, JSON, bytes(body), lines);
  }

  private static Case events(String what, int dialect, String body, int lines) {
    return new Case(what + " in a stream", dialect, true, 200, EVENTS, bytes(body), lines);
  }

  private static Case coded(String coding, int dialect, byte[] body, int lines) {
    String head = JSON + "Content-Encoding: " + coding + "\r\n";
    return new Case(coding + " " + body.length, dialect, false, 200, head, body, lines);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] zipped(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(bytes(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  @Override
  String routes() {
    StringBuilder routes = new StringBuilder("endpoints:\n");
    for (int i = 0; i < CASES.size(); i++) {
      route(routes, "n" + i, DIALECTS[CASES.get(i).dialect()]);
    }
    for (String dialect : DIALECTS) {
      route(routes, "early-" + dialect, dialect);
    }
    return routes.toString();
  }

  private static void route(StringBuilder routes, String id, String dialect) {
    routes
        .append("  - path: /%s\n    dialect: %s\n    upstreams:\n".formatted(id, dialect))
        .append("      - {id: %s, url: \"%%1$s\", rpm_limit: 1000,\n".formatted(id))
        .append("         tpm_limit: 100000000, itpm: 100000000, otpm: 100000000}\n");
  }

  static Stream<Arguments> all() {
    return IntStream.range(0, CASES.size())
        .mapToObj(
            i ->
                Arguments.of(
                    Named.of(DIALECTS[CASES.get(i).dialect()] + ": " + CASES.get(i).what(), i)));
  }

  @ParameterizedTest
  @MethodSource("all")
  void nonsense_passesAsItIs_orIsWaitedFor_andIsSettled(int index) {
    Case of = CASES.get(index);
    String head =
        "HTTP/1.1 %d X\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n"
            .formatted(of.status(), of.head(), of.body().length);
    boolean refuses = of.status() == 429;
    AtomicBoolean answered = new AtomicBoolean();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          if (refuses && answered.getAndSet(true)) {
            byteSocket.send(OK);
          } else {
            byteSocket.send(head).send(of.body());
          }
        });
    String call = (of.stream() ? STREAMED : CALLS)[of.dialect()];
    String ask = ASKS[of.dialect()];
    HttpMessage answer =
        post("/n" + index + call, of.stream() ? ask.replace("{\"m", "{\"stream\":true,\"m") : ask);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(refuses ? bytes("{}") : of.body());
    gateway.await("/n" + index, TicketFate.SERVED, 1);
    assertThat(upstream.drain()).isEqualTo(refuses ? 2 : 1);
    String line = "upstream n" + index + ": ";
    // a 429 also pauses the upstream, which has a line of its own
    String other = refuses ? "io.penstock.upstream " : "none ";
    Predicate<String> complains = each -> each.contains(line) && !each.contains(other);
    RunningGateway.awaiting()
        .untilAsserted(
            () -> assertThat(logged.lines().stream().filter(complains)).hasSize(of.lines()));
  }

  static Stream<Arguments> early() {
    return IntStream.range(0, DIALECTS.length)
        .boxed()
        .flatMap(
            dialect ->
                Stream.of("Content-Length: 9999\r\n", "Transfer-Encoding: chunked\r\n")
                    .map(framing -> Arguments.of(dialect, framing)));
  }

  @ParameterizedTest
  @MethodSource("early")
  void answerThatEndsEarly_isNotMadeToLookWhole(int dialect, String framing) {
    String piece = "data: " + USAGES[dialect].formatted("7", "5") + "\n\n";
    boolean chunked = framing.startsWith("T");
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send("HTTP/1.1 200 OK\r\n" + EVENTS + framing + "\r\n");
          if (chunked) {
            byteSocket.chunk(piece);
          } else {
            byteSocket.send(piece);
          }
        });
    String path = "/early-" + DIALECTS[dialect];
    long before = gateway.count(path, TicketFate.REFUSED);
    try (ByteSocket byteSocket = connect().post(path + STREAMED[dialect], ASKS[dialect])) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThatThrownBy(() -> readOn(byteSocket, chunked))
          .isInstanceOf(UncheckedIOException.class);
    }
    gateway.await(path, TicketFate.REFUSED, before + 1);
    assertThat(upstream.drain()).isEqualTo(1);
  }

  /** Reads until the end, and fails if that comes too early. */
  private static void readOn(ByteSocket byteSocket, boolean chunked) {
    if (chunked) {
      String chunk = byteSocket.chunk();
      while (!chunk.isEmpty()) {
        chunk = byteSocket.chunk();
      }
      return;
    }
    int left = 9_999;
    while (left > 0) {
      int read = byteSocket.take(left);
      if (read < 0) {
        throw new UncheckedIOException(new java.io.EOFException(left + " bytes are missing"));
      }
      left -= read;
    }
  }
}
