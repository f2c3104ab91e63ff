package io.penstock.mock;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.PatientWaits;
import io.penstock.mock.MockProvider.Stats;
import io.penstock.provider.SignalledTimers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MockProviderTest {
  private static final String CHAT = "/v1/chat/completions";
  private static final String MESSAGES = "/v1/messages";
  private static final String ASK =
      "{\"model\":\"m\",\"max_tokens\":1000,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final String ASK_STREAM = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");

  private final AtomicLong nowNanos = new AtomicLong();
  private final SignalledTimers timers = new SignalledTimers();
  private final BlockingQueue<Stats> ended = new LinkedBlockingQueue<>();
  private final MockProvider provider =
      MockProvider.start(nowNanos::get, () -> 0, timers, ended::add);
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    provider.close();
    client.shutdownNow();
  }

  private static MockAddress address(String text) {
    return MockAddress.parse(URI.create(text));
  }

  private HttpRequest.Builder to(String address, String path) {
    return HttpRequest.newBuilder(URI.create(provider.baseUrl(address(address)) + path));
  }

  private HttpRequest post(String address, String path, String body) {
    return to(address, path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  private Stats awaitEnd() throws InterruptedException {
    return PatientWaits.take(ended);
  }

  @Test
  void sameAddress_sameUrl_anotherAddress_another() {
    URI url = provider.baseUrl(address("mock://openai?rpm=1"));
    assertThat(url.toString()).matches("http://127\\.0\\.0\\.1:\\d+/m/0");
    assertThat(provider.baseUrl(address("mock://openai?window=1m&rpm=1"))).isEqualTo(url);
    assertThat(provider.baseUrl(address("mock://openai?rpm=2"))).isNotEqualTo(url);
    assertThat(provider.stats(address("mock://openai"))).isEqualTo(new Stats(0, 0, 0, 0));
  }

  @Test
  void latencyAndPace_delayThePlainAnswerTogether() throws Exception {
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(
            post("mock://openai?latency=200ms&tokens=3&tps=10", CHAT, ASK),
            BodyHandlers.ofString());
    assertThat(timers.awaitSet()).isEqualTo(Duration.ofMillis(500));
    timers.advance(Duration.ofMillis(500));
    assertThat(answer.get().statusCode()).isEqualTo(200);
    assertThat(answer.get().headers().firstValue("content-length")).isPresent();
  }

  @Test
  void latency_thenEachTokenOfAStreamAtItsInstant() throws Exception {
    CompletableFuture<HttpResponse<InputStream>> answer =
        client.sendAsync(
            post("mock://openai?latency=200ms&tokens=3&tps=10", CHAT, ASK_STREAM),
            BodyHandlers.ofInputStream());
    assertThat(timers.awaitSet()).isEqualTo(Duration.ofMillis(200));
    timers.advance(Duration.ofMillis(200));
    try (BufferedReader lines = lines(answer.get().body())) {
      assertThat(event(lines)).contains("\"role\":\"assistant\"");
      assertThat(timers.awaitSet()).isEqualTo(Duration.ofMillis(100));
      for (String word : List.of("\"Water\"", "\" waits\"", "\" behind\"")) {
        timers.advance(Duration.ofMillis(100));
        assertThat(event(lines)).contains("{\"content\":" + word + "}");
      }
      assertThat(event(lines)).contains("\"finish_reason\":\"stop\"");
      assertThat(event(lines)).isEqualTo("data: [DONE]");
      assertThat(lines.readLine()).isNull();
    }
  }

  @Test
  void noLatencyAndNoPace_setsNoTimer() throws Exception {
    assertThat(send(post("mock://openai", CHAT, ASK)).statusCode()).isEqualTo(200);
    assertThat(send(post("mock://openai", CHAT, ASK_STREAM)).body()).endsWith("data: [DONE]\n\n");
    assertThat(send(post("mock://anthropic", MESSAGES, ASK_STREAM)).body())
        .startsWith("event: message_start\n")
        .endsWith("data: {\"type\":\"message_stop\"}\n\n");
    assertThat(timers.noneSet()).isTrue();
  }

  private static BufferedReader lines(InputStream body) {
    return new BufferedReader(new InputStreamReader(body, UTF_8));
  }

  /** Reads one event that consists of one line. */
  private static String event(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    assertThat(lines.readLine()).isEmpty();
    return line;
  }

  @Test
  void clientGoneMidStream_stopsProduction_andIsCounted() throws Exception {
    String address = "mock://anthropic?tps=10&tokens=100&tpm=1000";
    HttpResponse<InputStream> answer =
        client.send(post(address, MESSAGES, ASK_STREAM), BodyHandlers.ofInputStream());
    assertThat(timers.awaitSet()).isEqualTo(Duration.ofMillis(100));
    assertThat(provider.stats(address(address))).isEqualTo(new Stats(1, 0, 0, 1));
    timers.advance(Duration.ofMillis(200));
    try (BufferedReader lines = lines(answer.body())) {
      assertThat(lines.lines().filter(line -> line.contains("\"text\":\" waits\"")).findFirst())
          .isPresent();
    }
    assertThat(awaitEnd()).isEqualTo(new Stats(1, 0, 1, 0));
    timers.advance(Duration.ofSeconds(60));

    HttpRequest last = post(address, MESSAGES, ASK.replace("1000", "1"));
    CompletableFuture<HttpResponse<String>> next = client.sendAsync(last, BodyHandlers.ofString());
    timers.awaitSet();
    timers.advance(Duration.ofMillis(100));
    // 1,000 less two prompts of 5 and two produced tokens
    assertThat(next.get().headers().firstValue("anthropic-ratelimit-tokens-remaining"))
        .contains("988");
    assertThat(awaitEnd()).isEqualTo(new Stats(2, 0, 1, 0));
  }

  @Test
  void clientGoneBeforeTheAnswer_isCounted() throws Exception {
    String address = "mock://openai?latency=10s";
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(post(address, CHAT, ASK), BodyHandlers.ofString());
    timers.awaitSet();
    answer.cancel(true);
    assertThat(awaitEnd()).isEqualTo(new Stats(1, 0, 1, 0));
  }

  @Test
  void clientGoneInItsBody_isCounted() throws Exception {
    URI url = provider.baseUrl(address("mock://openai"));
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      write(socket, "POST " + url.getPath() + CHAT + " HTTP/1.1\r\nhost: x\r\n");
      write(socket, "content-length: 1000\r\nexpect: 100-continue\r\n\r\n");
      assertThat(lines(socket.getInputStream()).readLine()).isEqualTo("HTTP/1.1 100 Continue");
      write(socket, "{\"model\":");
    }
    assertThat(awaitEnd()).isEqualTo(new Stats(1, 0, 1, 0));
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  @Test
  void closed_endsWhatRuns() throws Exception {
    HttpResponse<InputStream> answer =
        client.send(post("mock://openai?tps=1", CHAT, ASK_STREAM), BodyHandlers.ofInputStream());
    provider.close();
    assertThatThrownBy(() -> answer.body().readAllBytes()).isInstanceOf(IOException.class);
    assertThat(awaitEnd()).isEqualTo(new Stats(1, 0, 1, 0));
  }

  @Test
  void errorRate_isAnExactShare() throws Exception {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      statuses.add(send(post("mock://openai?error_rate=0.3", CHAT, ASK)).statusCode());
    }
    assertThat(statuses.subList(0, 10))
        .containsExactly(200, 200, 200, 500, 200, 200, 500, 200, 200, 500);
    assertThat(statuses.subList(10, 20)).isEqualTo(statuses.subList(0, 10));
    HttpResponse<String> failed = send(post("mock://anthropic?error_rate=1", MESSAGES, ASK));
    assertThat(failed.statusCode()).isEqualTo(500);
    assertThat(failed.body()).contains("\"type\":\"error\"", "\"type\":\"api_error\"");
  }

  @Test
  void limits_areKeptPerModel() throws Exception {
    String address = "mock://openai?rpm=1";
    assertThat(send(post(address, CHAT, ASK)).statusCode()).isEqualTo(200);
    HttpResponse<String> over = send(post(address, CHAT, ASK));
    assertThat(over.statusCode()).isEqualTo(429);
    assertThat(over.body()).contains("\"type\":\"requests\"");
    String another = ASK.replace("\"m\"", "\"m2\"");
    assertThat(send(post(address, CHAT, another)).statusCode()).isEqualTo(200);
    assertThat(provider.stats(address(address)).refused()).isEqualTo(1);
  }

  @Test
  void headersNone_onlySaysWhenToComeAgain() throws Exception {
    String address = "mock://openai?rpm=1&headers=none";
    HttpResponse<String> first = send(post(address, CHAT, ASK));
    assertThat(first.headers().firstValue("x-ratelimit-limit-requests")).isEmpty();
    HttpResponse<String> over = send(post(address, CHAT, ASK));
    assertThat(over.statusCode()).isEqualTo(429);
    assertThat(over.headers().firstValue("x-ratelimit-limit-requests")).isEmpty();
    assertThat(over.headers().firstValue("retry-after")).isPresent();
  }

  @Test
  void inventedModels_shareOneLimitInTheEnd() throws Exception {
    String address = "mock://openai?rpm=1";
    for (int i = 0; i < 1_001; i++) {
      String ask = ASK.replace("\"m\"", "\"m" + i + "\"");
      assertThat(send(post(address, CHAT, ask)).statusCode()).as("model %d", i).isEqualTo(200);
    }
    String one = ASK.replace("\"m\"", "\"yet another\"");
    assertThat(send(post(address, CHAT, one)).statusCode()).isEqualTo(429);
  }

  @Test
  void largerThanTheLimit_isRefusedWithoutATime() throws Exception {
    HttpResponse<String> over = send(post("mock://openai?tpm=999", CHAT, ASK));
    assertThat(over.statusCode()).isEqualTo(429);
    assertThat(over.body()).contains("Request too large");
    assertThat(over.headers().firstValue("retry-after")).isEmpty();
    assertThat(over.headers().firstValue("x-ratelimit-remaining-tokens")).contains("999");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{ | The body is not JSON",
        "{\"model\":\"m\",\"model | The body is not JSON",
        "`` | The body is not a JSON object",
        "[] | The body is not a JSON object",
        "{} {} | The body is not JSON",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\"}]} | model: expected the name",
        "{\"model\":7,\"messages\":[{\"role\":\"user\"}]} | model: expected the name",
        "{\"model\":\"m\"} | messages: expected a list",
        "{\"model\":\"m\",\"messages\":[]} | messages: expected a list",
        "{\"model\":\"m\",\"messages\":[1]} | messages: expected objects",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"max_tokens\":0} | max_tokens: exp",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"max_tokens\":-1} | max_tokens: exp",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"max_tokens\":1e99} | max_tokens: e",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"max_tokens\":\"9\"} | max_tokens:",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"max_tokens\":2147483648} | max_tok",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"stream\":1,\"max_tokens\":1} | str",
      })
  void badBody_is400InTheProvidersShape(String body, String message) throws Exception {
    HttpResponse<String> openai = send(post("mock://openai", CHAT, body));
    assertThat(openai.statusCode()).isEqualTo(400);
    assertThat(openai.body()).startsWith("{\"error\":{\"message\":\"" + message);
    assertThat(openai.body()).contains("\"type\":\"invalid_request_error\"");
    HttpResponse<String> anthropic = send(post("mock://anthropic", MESSAGES, body));
    assertThat(anthropic.statusCode()).isEqualTo(400);
    assertThat(anthropic.body()).startsWith("{\"type\":\"error\",\"error\":{").contains(message);
    assertThat(anthropic.body()).contains("\"type\":\"invalid_request_error\"");
  }

  @Test
  void deepBody_is400() throws Exception {
    String deep = "{\"model\":" + "[".repeat(100_000);
    assertThat(send(post("mock://openai", CHAT, deep)).statusCode()).isEqualTo(400);
  }

  @Test
  void anthropicWithoutMaximum_is400() throws Exception {
    String body = ASK.replace("\"max_tokens\":1000,", "");
    assertThat(send(post("mock://anthropic", MESSAGES, body)).body())
        .contains("max_tokens: this field is required");
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"model\":\"m\"}', input",
    "'{\"model\":\"m\",\"input\":[]}', input",
    "'{\"model\":\"m\",\"input\":\"\"}', input",
    "'{\"model\":\"m\",\"input\":[\"a\",1]}', input",
    "'{\"model\":\"m\",\"input\":[1,\"a\"]}', input",
    "'{\"model\":\"m\",\"input\":{}}', input",
    "'{\"model\":\"m\",\"input\":\"a\",\"dimensions\":3073}', dimensions",
    "'{\"model\":\"m\",\"input\":\"a\",\"encoding_format\":\"hex\"}', encoding_format"
  })
  void badEmbeddings_are400(String body, String param) throws Exception {
    HttpResponse<String> answer = send(post("mock://openai", "/v1/embeddings", body));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"param\":\"" + param + "\"");
  }

  @Test
  void unknownPathOrMethod_isSaid() throws Exception {
    assertThat(send(post("mock://openai", "/v1/messages", ASK)).statusCode()).isEqualTo(404);
    assertThat(send(post("mock://anthropic", CHAT, ASK)).body()).contains("not_found_error");
    assertThat(send(to("mock://openai", CHAT).GET().build()).headers().firstValue("allow"))
        .contains("POST");
    assertThat(send(post("mock://openai", "/v1/models", "")).statusCode()).isEqualTo(405);
    URI base = provider.baseUrl(address("mock://openai"));
    for (String path : List.of("/", "/m", "/m/9/v1/models", "/m/999999999/v1/models", "/m/-1/x")) {
      HttpRequest request = HttpRequest.newBuilder(base.resolve(path)).build();
      assertThat(send(request).statusCode()).as(path).isEqualTo(404);
    }
    URI withQuery = URI.create(base + "/v1/models?limit=1");
    assertThat(send(HttpRequest.newBuilder(withQuery).build()).statusCode()).isEqualTo(200);
  }

  @Test
  void bodyOf64MiB_taken() throws Exception {
    int text = MockRead.MAX_BODY_BYTES - ASK.length() + 2;
    String body = ASK.replace("Hi", "x".repeat(text));
    HttpResponse<String> answer = send(post("mock://openai", CHAT, body));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"prompt_tokens\":" + ((text + 3) / 4 + 4) + ",");
  }

  @Test
  void bodyOneByteLarger_is413_statedOrNot() throws Exception {
    URI url = provider.baseUrl(address("mock://openai"));
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      write(socket, "POST " + url.getPath() + CHAT + " HTTP/1.1\r\nhost: x\r\n");
      write(socket, "content-length: " + (MockRead.MAX_BODY_BYTES + 1) + "\r\n\r\n");
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 413 ").contains("\"error\":{\"message\":\"The body");
    }
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      write(socket, "POST " + url.getPath() + CHAT + " HTTP/1.1\r\nhost: x\r\n");
      write(socket, "transfer-encoding: chunked\r\n\r\n");
      OutputStream out = socket.getOutputStream();
      byte[] mebibyte = "x".repeat(1 << 20).getBytes(US_ASCII);
      for (int i = 0; i < 64; i++) {
        write(socket, "100000\r\n");
        out.write(mebibyte);
        write(socket, "\r\n");
      }
      write(socket, "1\r\nx\r\n");
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 413 ");
    }
  }
}
