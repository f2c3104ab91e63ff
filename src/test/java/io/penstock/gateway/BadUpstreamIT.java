package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests upstreams that do what they should not. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class BadUpstreamIT extends HostileCase {
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

  private static final String HASTY = "/hasty/v1/chat/completions";
  private static final String HASTY_MESSAGES = "/hasty-anthropic/v1/messages";
  private static final String STALLING = "/stalling/v1/chat/completions";

  private final int closedPort = RunningGateway.freePort();
  private long refusedBefore;

  @Override
  String routes() {
    return """
    defaults: {dialect: openai}
    endpoints:
      - path: /openai
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}", tpm_limit: 100000000}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: a, url: "%1$s", api_key: "${SECRET}", otpm: 100000}]
      - path: /hasty
        upstreams:
          - {id: h, url: "%1$s", tpm_limit: 100000000, first_byte_timeout: 0.3, stall_timeout: 0.3}
      - path: /hasty-anthropic
        dialect: anthropic
        upstreams: [{id: ha, url: "%1$s", otpm: 100000, first_byte_timeout: 0.3}]
      - path: /stalling
        upstreams: [{id: s, url: "%1$s", tpm_limit: 100000000, stall_timeout: 2}]
      - path: /patient
        upstreams: [{id: p, url: "%1$s", api_key: "${SECRET}", stall_timeout: 2}]
      - path: /closed
        upstreams: [{id: c, url: "http://127.0.0.1:CLOSED", tpm_limit: 1000}]
      - path: /unknown
        upstreams: [{id: u, url: "http://no-such-host.invalid", tpm_limit: 1000}]
      - path: /untrusted
        upstreams: [{id: t, url: "https://127.0.0.1:TLS", tpm_limit: 1000}]
    """
        .replace("CLOSED", "" + closedPort)
        .replace("TLS", "" + upstream.port());
  }

  /** Makes the gateway pass on each first answer; retries are tested elsewhere. */
  @Override
  String[] arguments() {
    return new String[] {PassingJudge.ARGUMENT};
  }

  @BeforeEach
  void count() {
    refusedBefore = gateway.count(CHAT, TicketFate.REFUSED);
  }

  private void refusedByBoth(int status, String reason) {
    refusedByBoth(CHAT, MESSAGES, status, reason);
    gateway.await(CHAT, TicketFate.REFUSED, refusedBefore + 1);
  }

  private void refusedByBoth(String chat, String messages, int status, String reason) {
    HttpMessage openAi = post(chat, ASK);
    refused(openAi, status, reason);
    assertThat(openAi.text()).contains("\"error\":{");
    assertThat(openAi.header("content-type")).startsWith("application/json");
    HttpMessage anthropic = post(messages, ASK);
    refused(anthropic, status, reason);
    assertThat(anthropic.text()).startsWith("{\"type\":\"error\"");
    upstream.drain();
  }

  @Test
  void upstreamThatIsNotThere_is502() {
    refused(post("/closed/v1/chat/completions", ASK), 502, "upstream_unreachable");
    refused(post("/unknown/v1/chat/completions", ASK), 502, "upstream_unreachable");
  }

  @Test
  void upstreamThatSpeaksNoTls_is502() {
    upstream.script((self, byteSocket) -> byteSocket.send("HTTP/1.1 400 No TLS\r\n\r\n"));
    refused(post("/untrusted/v1/chat/completions", ASK), 502, "upstream_unreachable");
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void upstreamThatHangsUpBeforeTheRequest_is502(boolean reset) throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          if (reset) {
            byteSocket.reset();
          }
        });
    refusedByBoth(502, "upstream_unreachable");
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void upstreamThatHangsUpAfterTheRequest_is502AndAskedOnce(boolean reset)
      throws InterruptedException {
    int before = upstream.connections();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          if (reset) {
            byteSocket.reset();
          }
        });
    refusedByBoth(502, "upstream_unreachable");
    assertThat(upstream.connections()).isEqualTo(before + 2);
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "hello\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/9.9\r\n\r\n",
        "\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
        "\u0000\u0001\u0002",
      })
  void answerThatIsNotHttp_is502(String answer) {
    upstream.script(RawUpstream.answering(answer));
    refusedByBoth(502, "upstream_unreachable");
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void answerWithAHeadWithoutEnd_is502() {
    upstream.script(
        RawUpstream.answering("HTTP/1.1 200 OK\r\nX: " + "x".repeat(100_000) + "\r\n\r\n"));
    refusedByBoth(502, "upstream_unreachable");
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void upstreamThatNeverAnswers_is504() {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.awaitEnd();
        });
    refusedByBoth(HASTY, HASTY_MESSAGES, 504, "upstream_timeout");
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void upstreamThatTakesNoMoreOfTheRequest_is504() {
    CountDownLatch done = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          done.await();
        });
    String big = ASK.replace(PROMPT, "x".repeat(20 << 20));
    refused(post(HASTY, big), 504, "upstream_timeout");
    done.countDown();
  }

  @ParameterizedTest
  @CsvSource({"500", "503", "429", "529", "400", "418"})
  void errorOfTheUpstream_passesUnchanged(int status) throws InterruptedException {
    String body = "{\"error\":{\"message\":\"mine\"},\"odd\":  1}";
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 %d Whatever\r\nContent-Type: application/json; odd=1\r\nretry-after: 7\r\n"
                    .formatted(status)
                + "Connection: close\r\nContent-Length: %d\r\n\r\n%s"
                    .formatted(body.length(), body)));
    HttpMessage answer = post(CHAT, ASK);
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.text()).isEqualTo(body);
    assertThat(answer.header("content-type")).isEqualTo("application/json; odd=1");
    assertThat(answer.header("retry-after")).isEqualTo("7");
    assertThat(answer.header("x-penstock-reason")).isNull();
    upstream.received();
  }

  @Test
  void htmlInsteadOfJson_passesUnchanged() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
                + "<html>no</html>"));
    HttpMessage answer = post(CHAT, ASK);
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.text()).isEqualTo("<html>no</html>");
    upstream.received();
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\":",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\n{\"a\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "9\r\ndata: {\"a\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\n{\"a\r\nzz\r\n",
      })
  void answerThatBreaksOff_breaksOffForTheClientToo(String half) throws InterruptedException {
    for (boolean reset : new boolean[] {true, false}) {
      CountDownLatch arrived = new CountDownLatch(1);
      upstream.script(
          (self, byteSocket) -> {
            self.read(byteSocket);
            byteSocket.send(half);
            arrived.await();
            if (reset) {
              byteSocket.reset();
            }
          });
      long before = gateway.count(CHAT, TicketFate.REFUSED);
      try (ByteSocket byteSocket = connect()) {
        byteSocket.post(CHAT, ASK);
        if (half.contains("zz")) {
          arrived.countDown();
        }
        assertThat(byteSocket.head().status()).isEqualTo(200);
        arrived.countDown();
        assertThatThrownBy(
                () -> {
                  while (!byteSocket.chunk().isEmpty()) {
                    arrived.countDown();
                  }
                })
            .isInstanceOfAny(UncheckedIOException.class, NumberFormatException.class);
      }
      gateway.await(CHAT, TicketFate.REFUSED, before + 1);
      upstream.received();
    }
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void headWithoutItsBody_is502() {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"));
    refusedByBoth(502, "upstream_unreachable");
  }

  @Test
  void hintBeforeTheAnswer_isPassedOver() throws InterruptedException {
    upstream.script(RawUpstream.answering("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK));
    HttpMessage answer = post(CHAT, ASK);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{}");
    upstream.received();
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void streamThatStalls_breaksOff() throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD).chunk("data: {}\n\n");
          byteSocket.awaitEnd();
        });
    long before = gateway.count(STALLING, TicketFate.REFUSED);
    try (ByteSocket byteSocket = connect()) {
      byteSocket.post(STALLING, ASK);
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(byteSocket.chunk()).isEqualTo("data: {}\n\n");
      assertThatThrownBy(byteSocket::chunk).isInstanceOf(UncheckedIOException.class);
    }
    gateway.await(STALLING, TicketFate.REFUSED, before + 1);
    upstream.received();
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void answerBeforeTheWholeRequest_passes() throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          byteSocket.head();
          byteSocket.send(
              "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig");
          byteSocket.awaitEnd();
        });
    HttpMessage answer = post(CHAT, ASK.replace(PROMPT, "x".repeat(20 << 20)));
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.text()).isEqualTo("big");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void hugeAnswerToASlowReader_waitsInTheUpstream() throws Exception {
    byte[] piece = ("10000\r\n" + "x".repeat(65_536) + "\r\n").getBytes(US_ASCII);
    CompletableFuture<Integer> sent = new CompletableFuture<>();
    CountDownLatch slow = new CountDownLatch(1);
    int pieces = 1_600;
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          for (int i = 0; i < pieces; i++) {
            byteSocket.send(piece);
            if (i == pieces / 2) {
              sent.complete(i);
            }
          }
          byteSocket.send("0\r\n\r\n");
          slow.countDown();
        });
    // fixed, because a buffer that grows would take half of the answer; large enough for several of
    // the loopback's segments of 64 KiB, because each one that does not fit costs 200 ms
    try (ByteSocket byteSocket = ByteSocket.to(gateway.port(), 1 << 20)) {
      byteSocket.post("/patient/v1/chat/completions", ASK);
      assertThat(byteSocket.head().status()).isEqualTo(200);
      // longer than the stall timeout: the upstream is not to blame for a slow client
      PatientWaits.assertNone(sent, Duration.ofSeconds(3));
      long bytes = 0;
      for (String chunk = byteSocket.chunk(); !chunk.isEmpty(); chunk = byteSocket.chunk()) {
        bytes += chunk.length();
      }
      assertThat(bytes).isEqualTo(pieces * 65_536L);
    }
    slow.await();
    upstream.received();
  }
}
