package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.forward.RetryBudgets;
import io.penstock.pool.RetryBudget;
import io.penstock.time.Ticker;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a request is sent again if it failed before the client received anything, and not if
 * it failed later.
 */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class FailoverIT extends HostileCase {
  private static final String PAIR = "/pair/v1/chat/completions";
  private static final String PAIR_FILES = "/pair/v1/files";
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String OTHER_OK = OK.replace("{}", "[]");

  /** Retries that all tests of this class need together: those of one second share a budget. */
  private static final int MOST_RETRIES = 100;

  private final RawUpstream other = RawUpstream.start(RawUpstream.answering(OTHER_OK));
  private final int closedPort = RunningGateway.freePort();

  @Override
  String routes() {
    return """
    defaults: {dialect: openai}
    endpoints:
      - path: /pair
        upstreams:
          - {id: first, url: "%1$s", weight: 1000}
          - {id: second, url: "OTHER"}
      - path: /many
        upstreams:
          - {id: many, url: "%1$s", weight: 1000}
          - {id: second, url: "OTHER"}
      - path: /closed
        upstreams:
          - {id: closed, url: "http://127.0.0.1:CLOSED", weight: 1000}
          - {id: second, url: "OTHER"}
      - path: /one
        upstreams: [{id: one, url: "%1$s"}]
      - path: /gone
        upstreams: [{id: gone, url: "%1$s"}]
      - path: /hasty
        max_wait: 0.3
        upstreams: [{id: hasty, url: "%1$s"}]
    """
        .replace("CLOSED", "" + closedPort)
        .replace("OTHER", other.url());
  }

  @Override
  String[] arguments() {
    return new String[] {PlainJudge.ARGUMENT};
  }

  @AfterAll
  void stopOther() {
    other.close();
  }

  @AfterEach
  void reset() {
    PlainJudge.pauseNanos = 0;
    other.script(RawUpstream.answering(OTHER_OK));
    assertThat(other.drain()).as("requests at the second").isZero();
  }

  /** Makes room in the budget for that many retries within the second that begins. */
  private void roomFor(int retries) {
    RetryBudget budget = gateway.bean(RetryBudgets.class).of("first");
    long now = gateway.bean(Ticker.class).nanos();
    for (int i = 0; i < 10 * retries; i++) {
      budget.sent(now);
    }
  }

  /** Makes room for the retries of a test, whatever the test before it did. */
  @BeforeEach
  void room() {
    roomFor(MOST_RETRIES);
  }

  private static String error(int status, String body) {
    return "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nx-of: %d\r\n"
            .formatted(status, status)
        + "Connection: close\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body);
  }

  private void servedBySecond(HttpMessage answer) throws InterruptedException {
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("[]");
    assertThat(answer.header("x-penstock-upstream")).isEqualTo("second");
    assertThat(answer.all("x-of")).isEmpty();
    assertThat(answer.all("x-request-id")).hasSize(1);
    assertThat(other.received().text()).isEqualTo(ASK);
  }

  @Test
  void connectionRefused_goesToTheOther() throws InterruptedException {
    servedBySecond(post("/closed/v1/chat/completions", ASK));
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 502, 504, 408})
  void error_goesToTheOtherWithTheSameBody(int status) throws InterruptedException {
    upstream.script(RawUpstream.answering(error(status, "{}")));
    servedBySecond(post(PAIR, ASK));
    assertThat(upstream.received().text()).isEqualTo(ASK);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nx-of: 1\r\n\r\n", STREAM_HEAD, "hm"})
  void closedBeforeTheFirstByte_goesToTheOther(String message) throws InterruptedException {
    upstream.script(RawUpstream.answering(message));
    servedBySecond(post(PAIR, ASK));
    upstream.received();
  }

  @Test
  void closedAfterTheFirstByte_breaksOff() throws InterruptedException {
    CountDownLatch arrived = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD).chunk("data: {}\n\n");
          arrived.await();
        });
    long before = gateway.count("/pair", TicketFate.REFUSED);
    try (ByteSocket byteSocket = connect().post(PAIR, ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(byteSocket.chunk()).isEqualTo("data: {}\n\n");
      arrived.countDown();
      assertThatThrownBy(byteSocket::chunk).isInstanceOf(UncheckedIOException.class);
    }
    gateway.await("/pair", TicketFate.REFUSED, before + 1);
    upstream.received();
  }

  @Test
  void bothFail_passesTheSecondError() throws InterruptedException {
    upstream.script(RawUpstream.answering(error(500, "{\"a\":1}")));
    other.script(RawUpstream.answering(error(502, "{\"b\":2}")));
    HttpMessage answer = post(PAIR, ASK);
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.text()).isEqualTo("{\"b\":2}");
    assertThat(answer.all("x-of")).containsExactly("502");
    upstream.received();
    other.received();
  }

  @Test
  void bothUnreachable_is502() throws InterruptedException {
    other.script((self, byteSocket) -> self.read(byteSocket));
    refused(post("/closed/v1/chat/completions", ASK), 502, "upstream_unreachable");
    other.received();
  }

  @Test
  void tooMany_waitsAndGoesAgain() throws InterruptedException {
    AtomicInteger asked = new AtomicInteger();
    PlainJudge.pauseNanos = 50_000_000;
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(asked.incrementAndGet() <= 2 ? error(429, "{}") : OK);
        });
    HttpMessage answer = post("/one/v1/chat/completions", ASK);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(Long.parseLong(answer.header("x-penstock-queued-ms"))).isGreaterThanOrEqualTo(100);
    for (int i = 0; i < 3; i++) {
      assertThat(upstream.received().text()).isEqualTo(ASK);
    }
  }

  @Test
  void tooManyForTheSixthTime_isTheClients() throws InterruptedException {
    upstream.script(RawUpstream.answering(error(429, "{\"mine\":true}")));
    HttpMessage answer = post("/one/v1/chat/completions", ASK);
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.text()).isEqualTo("{\"mine\":true}");
    for (int i = 0; i < 6; i++) {
      upstream.received();
    }
  }

  @Test
  void waitBeyondTheDeadline_isARefusal() throws InterruptedException {
    PlainJudge.pauseNanos = 60_000_000_000L;
    upstream.script(RawUpstream.answering(error(429, "{}")));
    refused(post("/hasty/v1/chat/completions", ASK), 429, "queue_timeout");
    upstream.received();
  }

  @Test
  void goneBetweenAttempts_givesEverythingBack() throws InterruptedException {
    PlainJudge.pauseNanos = 60_000_000_000L;
    upstream.script(RawUpstream.answering(error(429, "{}")));
    ByteSocket byteSocket = connect().post("/gone/v1/chat/completions", ASK);
    upstream.received();
    gateway.await("/gone", TicketFate.WAITING, 1);
    byteSocket.close();
    gateway.await("/gone", TicketFate.CANCELLED, 1);
  }

  @Test
  void largeError_passesWhole() throws InterruptedException {
    String large = "{\"text\":\"" + "x".repeat(300_000) + "\"}";
    upstream.script(RawUpstream.answering(error(418, large)));
    assertThat(post(PAIR, ASK).text()).isEqualTo(large);
    upstream.received();
  }

  @Test
  void largeErrorThatGoesAgain_isLeft() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(error(500, "{\"text\":\"" + "x".repeat(300_000) + "\"}")));
    servedBySecond(post(PAIR, ASK));
    upstream.received();
  }

  @Test
  void errorThatIsNotSaidToItsEnd_isDecidedBefore() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send("HTTP/1.1 418 X\r\nTransfer-Encoding: chunked\r\n\r\n").chunk("so ");
          done.await();
          byteSocket.chunk("far").send("0\r\n\r\n");
        });
    try (ByteSocket byteSocket = connect().post(PAIR, ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(418);
      assertThat(byteSocket.chunk()).isEqualTo("so ");
      done.countDown();
      assertThat(byteSocket.chunk()).isEqualTo("far");
      assertThat(byteSocket.chunk()).isEmpty();
    }
    upstream.received();
  }

  @Test
  void uploadThatWasRead_isNotRepeated() throws InterruptedException {
    upstream.script(RawUpstream.answering(error(500, "{}")));
    assertThat(post(PAIR_FILES, "file").status()).isEqualTo(500);
    assertThat(upstream.received().text()).isEqualTo("file");
  }

  @Test
  void uploadThatWasNotRead_goesToTheOther() throws InterruptedException {
    assertThat(post("/closed/v1/files", "file").text()).isEqualTo("[]");
    assertThat(other.received().text()).isEqualTo("file");
  }

  @Test
  void requestWithoutABody_goesToTheOther() throws InterruptedException {
    upstream.script(RawUpstream.answering(error(500, "{}")));
    assertThat(ask("GET " + PAIR_FILES + " HTTP/1.1\r\nHost: a\r\n\r\n").text()).isEqualTo("[]");
    assertThat(other.received().start()).isEqualTo("GET /v1/files HTTP/1.1");
    upstream.received();
  }

  @Test
  void manyErrorsAtOnce_areNotAllRepeated() throws Exception {
    int many = 60;
    CountDownLatch asked = new CountDownLatch(many);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          asked.countDown();
          asked.await(); // so that all fail together, however long it took to send them
          byteSocket.send(error(500, "{}"));
        });
    List<ByteSocket> wires = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      wires.add(connect().post("/many/v1/chat/completions", ASK));
    }
    int failed = 0;
    for (ByteSocket byteSocket : wires) {
      failed += byteSocket.answer().status() == 500 ? 1 : 0;
      byteSocket.close();
    }
    assertThat(upstream.drain()).isEqualTo(many);
    assertThat(failed).isBetween(1, many - 3);
    assertThat(other.drain()).isEqualTo(many - failed);
  }

  @Test
  void upstreamThatDies_losesNothingThatHadNotBegun() throws InterruptedException {
    int each = 20;
    CountDownLatch killed = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          if (asked.getAndIncrement() < each) {
            byteSocket.send(STREAM_HEAD).chunk("data: {}\n\n");
          }
          killed.await();
          byteSocket.reset();
        });
    List<ByteSocket> begun = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      ByteSocket byteSocket = connect().post(PAIR, ASK);
      assertThat(byteSocket.head().status()).isEqualTo(200);
      begun.add(byteSocket);
    }
    List<ByteSocket> waiting = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      waiting.add(connect().post(PAIR, ASK));
    }
    RunningGateway.awaiting().until(() -> asked.get() == 2 * each);
    int before = other.connections();
    killed.countDown();
    RunningGateway.awaiting()
        .until(
            () -> {
              roomFor(each); // it lasts for a second, and they may take longer
              return other.connections() - before == each;
            });
    for (ByteSocket byteSocket : waiting) {
      assertThat(byteSocket.answer().text()).isEqualTo("[]");
      byteSocket.close();
    }
    begun.forEach(ByteSocket::close);
    assertThat(other.drain()).isEqualTo(each);
    assertThat(upstream.drain()).isEqualTo(2 * each);
  }

  @Test
  void answerThatIsNoError_teaches() throws InterruptedException {
    int before = PlainJudge.SUCCESSES.get();
    assertThat(post(PAIR, ASK).status()).isEqualTo(200);
    assertThat(PlainJudge.SUCCESSES.get()).isEqualTo(before + 1);
    upstream.received();
  }
}
