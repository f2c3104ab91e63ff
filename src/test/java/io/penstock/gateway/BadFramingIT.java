package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.suite.Hostile;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requests of clients that break the rules of HTTP itself. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class BadFramingIT extends HostileCase {
  private static final String CHUNKED =
      "POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}", tpm_limit: 1000000}]
      - path: /permit
        algorithm: none
      - path: /never
        algorithm: token_window
        tokens_per_window: 10
        window_seconds: 3600
    """;
  }

  private long cancelled() {
    return gateway.count(CHAT, TicketFate.CANCELLED);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void chunkedBodyCutByAnEnd_isCancelled() {
    long before = cancelled();
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(CHUNKED.formatted(CHAT)).chunk(ASK).halfClose();
      byteSocket.awaitEnd();
    }
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void chunkedBodyCutByAReset_isCancelled() {
    long before = cancelled();
    connect().send(CHUNKED.formatted(CHAT)).chunk(ASK.substring(0, 20)).reset();
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyShorterThanItsLength_isCancelled() {
    long before = cancelled();
    ByteSocket byteSocket = connect();
    byteSocket.send("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + ASK);
    byteSocket.close();
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void chunksThatBreakAfterWholeJson_areNotTakenForItsEnd() {
    long before = cancelled();
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(CHUNKED.formatted(CHAT)).chunk(ASK).send("zz\r\n");
      refused(byteSocket.answer(), 400, "bad_request");
    }
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void uploadThatBreaks_isNotCompletedForTheUpstream() throws InterruptedException {
    CompletableFuture<Boolean> whole = new CompletableFuture<>();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          try {
            byteSocket.chunk();
            begun.complete(null);
            whole.complete(byteSocket.chunk().isEmpty());
          } catch (UncheckedIOException cut) {
            whole.complete(false);
          }
        });
    long before = cancelled();
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(CHUNKED.formatted(FILES)).chunk("half of a file");
      PatientWaits.join(begun);
      byteSocket.send("zz\r\n");
      byteSocket.awaitEnd();
    }
    assertThat(PatientWaits.join(whole)).isFalse();
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void uploadWhoseClientGoes_isNotCompletedForTheUpstream(boolean reset)
      throws InterruptedException {
    CompletableFuture<Boolean> whole = new CompletableFuture<>();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          try {
            byteSocket.chunk();
            begun.complete(null);
            whole.complete(byteSocket.chunk().isEmpty());
          } catch (UncheckedIOException cut) {
            whole.complete(false);
          }
        });
    long before = cancelled();
    ByteSocket byteSocket = connect();
    byteSocket.send(CHUNKED.formatted(FILES)).chunk("half of a file");
    PatientWaits.join(begun);
    if (reset) {
      byteSocket.reset();
    } else {
      byteSocket.close();
    }
    assertThat(PatientWaits.join(whole)).isFalse();
    gateway.await(CHAT, TicketFate.CANCELLED, before + 1);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bothLengths_areOneRequestToTheUpstream() throws InterruptedException {
    String smuggled = "GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "POST "
              + FILES
              + " HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "0\r\n\r\n"
              + smuggled);
      HttpMessage first = byteSocket.answer();
      assertThat(first.status()).isIn(200, 400);
      if (first.status() == 200) {
        assertThat(upstream.received().all("content-length")).doesNotContain("4");
      }
      byteSocket.halfClose();
      byteSocket.awaitEnd();
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 4\r\nContent-Length: 5",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: xchunked",
        "Content-Length: 4\r\n Content-Length: 0",
      })
  void lengthThatCanBeReadInTwoWays_neverReachesTheUpstreamAsTwo(String headers) {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("POST " + FILES + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n\r\nabcd");
      HttpMessage answer = byteSocket.answer();
      assertThat(answer.status()).isGreaterThanOrEqualTo(400);
      assertThat(answer.header("x-request-id")).isNotBlank();
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"", "Host: a\r\nHost: b\r\n", "Host: a\r\nhost: a\r\n", "Host: a, b\r\n"})
  void requestThatNamesNoHostOrTwo_isRefused(String hosts) {
    String length = "Content-Length: " + ASK.length() + "\r\n\r\n";
    refused(ask("POST " + CHAT + " HTTP/1.1\r\n" + hosts + length + ASK), 400, "bad_request");
  }

  @Test
  void requestOfHttp10WithoutAHost_isServed() throws InterruptedException {
    String length = "Content-Length: " + ASK.length() + "\r\n\r\n";
    assertThat(ask("POST " + CHAT + " HTTP/1.0\r\n" + length + ASK).status()).isEqualTo(200);
    upstream.received();
  }

  @Test
  void expectation_isAnsweredBeforeTheBody() throws InterruptedException {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
              .formatted(CHAT, ASK.length()));
      assertThat(byteSocket.head().status()).isEqualTo(100);
      byteSocket.send(ASK);
      assertThat(byteSocket.answer().status()).isEqualTo(200);
    }
    assertThat(upstream.received().header("expect")).isNull();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void expectationOfTooMuch_isRefusedInstead() {
    refused(
        ask(
            "POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
                .formatted(CHAT, 1L << 40)),
        413,
        "body_too_large");
  }

  @Test
  void head_isAnsweredWithoutABody() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 OK\r\n"
                + "Content-Type: text/plain\r\n"
                + "Connection: close\r\n"
                + "Content-Length: 7\r\n\r\n"));
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("HEAD /openai/v1/models HTTP/1.1\r\nHost: x\r\n\r\n");
      HttpMessage answer = byteSocket.head();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("content-length")).isEqualTo("7");
      byteSocket.send("HEAD /openai/v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(byteSocket.head().status()).isEqualTo(200);
      byteSocket.awaitEnd();
    }
    assertThat(upstream.received().start()).startsWith("HEAD /v1/models ");
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"OPTIONS * HTTP/1.1", "CONNECT evil.example:443 HTTP/1.1"})
  void targetWithoutAPath_isRefused(String line) {
    HttpMessage answer = ask(line + "\r\nHost: x\r\n\r\n");
    assertThat(answer.status()).isIn(400, 404);
    assertThat(answer.header("x-penstock-reason")).isIn("bad_request", "no_endpoint");
    assertThat(answer.header("x-request-id")).isNotBlank();
  }

  @Test
  void oldHttp_getsAnAnswerItCanRead() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 OK\r\n"
                + "Content-Type: text/plain\r\n"
                + "Connection: close\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
                + "5\r\n"
                + "hello\r\n"
                + "0\r\n\r\n"));
    try (ByteSocket byteSocket = connect()) {
      HttpMessage answer = byteSocket.send("GET /openai/v1/models HTTP/1.0\r\n\r\n").answer();
      assertThat(answer.header("transfer-encoding")).isNull();
      assertThat(answer.text()).isEqualTo("hello");
    }
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void lineBreaksInIdAndQuery_makeNoHeaders() throws InterruptedException {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "GET /openai/v1/models?a=%0d%0aX-Evil:%201&tokens=5 HTTP/1.1\r\nHost: x\r\n"
              + "x-request-id: a b\r\n\r\n");
      HttpMessage answer = byteSocket.answer();
      assertThat(answer.header("x-evil")).isNull();
      assertThat(answer.header("x-request-id")).doesNotContain(" ");
    }
    HttpMessage asked = upstream.received();
    assertThat(asked.header("x-evil")).isNull();
    assertThat(asked.target()).isEqualTo("/v1/models?a=%0d%0aX-Evil:%201&tokens=5");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void requestsAheadOfTheirTurn_areNotReadWithoutBound() {
    ask("GET /never?tokens=10 HTTP/1.1\r\nHost: x\r\n\r\n");
    ByteSocket byteSocket = connect();
    byteSocket.send("GET /never?tokens=10 HTTP/1.1\r\nHost: x\r\n\r\n");
    gateway.await("/never", TicketFate.WAITING, 1);
    CompletableFuture<Void> flood =
        CompletableFuture.runAsync(
            () -> {
              byte[] many =
                  "GET /permit HTTP/1.1\r\nHost: x\r\n\r\n".repeat(30_000).getBytes(US_ASCII);
              for (int i = 0; i < 100; i++) {
                byteSocket.send(many);
              }
            });
    PatientWaits.assertNone(flood, Duration.ofMillis(500));
    assertThat(gateway.count("/permit", TicketFate.OFFERED)).isZero();
    byteSocket.reset();
    gateway.await("/never", TicketFate.CANCELLED, 1);
    assertThat(flood).failsWithin(PatientWaits.LONGEST);
  }
}
