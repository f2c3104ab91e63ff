package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.dispatch.TicketFate;
import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RecordedEvents;
import io.penstock.time.Ticker;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests what a client receives while it waits for a stream. Endpoints are paused to make it wait.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class StreamHeartbeatIT extends HostileCase {
  private static final String BEAT = ": position 1\n\n";
  private static final String STREAM = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");
  private static final String SLOW = "/slow/v1/chat/completions";
  private static final String SPACED = "/spaced/v1/chat/completions";
  private static final String SINGLE = "/single/v1/chat/completions";
  private static final String SHORT_CHAT = "/short-openai/v1/chat/completions";
  private static final String SHORT_MESSAGES = "/short-anthropic/v1/messages";
  private static final String EVENTS =
      "data: {\"id\":\"c\",\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"
          + "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":7,"
          + "\"completion_tokens\":3,\"total_tokens\":10}}\n\n"
          + "data: [DONE]\n\n";
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
          + "Connection: close\r\n\r\n";

  @Override
  String routes() {
    return """
    defaults: {heartbeat_seconds: 0.05}
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s", inject_usage: false}]}
      - {path: /anthropic, dialect: anthropic, upstreams: [{id: a, url: "%1$s"}]}
      - path: /short-openai
        dialect: openai
        queue_timeout: 10
        upstreams: [{id: so, url: "%1$s"}]
      - path: /short-anthropic
        dialect: anthropic
        queue_timeout: 10
        upstreams: [{id: sa, url: "%1$s"}]
      - path: /spaced
        dialect: openai
        algorithm: strict
        rate: 2
        unit: rpm
        upstreams: [{id: sp, url: "%1$s"}]
      - path: /single
        dialect: openai
        upstreams: [{id: si, url: "%1$s", concurrency: 1}]
      - path: /slow
        dialect: openai
        heartbeat_seconds: 600
        upstreams: [{id: s, url: "%1$s"}]
    """;
  }

  /** Makes the gateway pass on each first answer; retries are tested elsewhere. */
  @Override
  String[] arguments() {
    return new String[] {PassingJudge.ARGUMENT};
  }

  @AfterEach
  void resume() {
    pause(false);
  }

  private void pause(boolean stop) {
    for (String path : new String[] {CHAT, MESSAGES, SHORT_CHAT, SHORT_MESSAGES, SLOW}) {
      gateway.endpoint(path).pause(stop);
    }
  }

  private ByteSocket parked(String path, String body) {
    long waiting = gateway.count(path, TicketFate.WAITING);
    ByteSocket byteSocket = connect().post(path, body);
    gateway.await(path, TicketFate.WAITING, waiting + 1);
    return byteSocket;
  }

  /** Returns a connection to a client that has received two beats. */
  private ByteSocket beating(String path) {
    pause(true);
    ByteSocket byteSocket = parked(path, STREAM);
    HttpMessage head = byteSocket.head();
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("content-type")).isEqualTo("text/event-stream;charset=utf-8");
    assertThat(head.header("x-request-id")).isNotBlank();
    assertThat(head.header("x-penstock-endpoint")).isEqualTo(gateway.endpoint(path).path());
    assertThat(Long.parseLong(head.header("x-penstock-cost"))).isGreaterThan(5);
    assertThat(head.header("x-penstock-upstream")).isNull();
    assertThat(byteSocket.chunk()).isEqualTo(BEAT);
    assertThat(byteSocket.chunk()).isEqualTo(BEAT);
    return byteSocket;
  }

  /** Reads the answer to its end, without beats; the last one may come too late for a place. */
  private static String rest(ByteSocket byteSocket) {
    StringBuilder rest = new StringBuilder();
    for (String chunk = byteSocket.chunk(); !chunk.isEmpty(); chunk = byteSocket.chunk()) {
      rest.append(chunk);
    }
    return rest.toString().replaceAll("(?m)^:.*\n\n", "");
  }

  @Test
  void parkedStream_hearsBeatsAndThenTheWholeAnswer_andIsSettled() throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD);
          for (String event : EVENTS.split("(?<=\n\n)", -1)) {
            if (!event.isEmpty()) {
              byteSocket.chunk(event);
            }
          }
          byteSocket.send("0\r\n\r\n");
        });
    RecordedEvents recorded = new RecordedEvents();
    gateway.bean(EventBus.class).subscribe(recorded);
    long served = gateway.count(CHAT, TicketFate.SERVED);
    try (ByteSocket byteSocket = beating(CHAT)) {
      pause(false);
      assertThat(rest(byteSocket)).isEqualTo(EVENTS);
      assertThat(upstream.received().text()).isEqualTo(STREAM);
      gateway.await(CHAT, TicketFate.SERVED, served + 1);
      assertThat(recorded.of(Event.Settled.class))
          .singleElement()
          .satisfies(settled -> assertThat(settled.usedTokens()).isEqualTo(10));
      byteSocket.post(CHAT, "{"); // and the connection can be used further
      assertThat(byteSocket.answer().status()).isEqualTo(400);
    }
  }

  @Test
  void refusalAfterABeat_isAnErrorEventInTheDialect() {
    try (ByteSocket byteSocket = beating(SHORT_CHAT)) {
      assertThat(rest(byteSocket))
          .startsWith("data: {\"error\":{\"message\":\"it waited")
          .contains("its place is kept for a repeat", "\"type\":\"requests\"")
          .contains("\"code\":\"queue_timeout\",\"retry_at\":")
          .endsWith("}}\n\n");
    }
    try (ByteSocket byteSocket = beating(SHORT_MESSAGES)) {
      assertThat(rest(byteSocket))
          .startsWith(
              "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"")
          .endsWith("}\n\n");
    }
    assertThat(gateway.count(SHORT_CHAT, TicketFate.EXPIRED)).isEqualTo(1);
    assertThat(gateway.count(SHORT_MESSAGES, TicketFate.EXPIRED)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "429 Too Many Requests",
        "500 Internal Server Error",
        "529 Overloaded",
        "400 Bad Request",
        "413 Too Large"
      })
  void errorOfTheUpstreamAfterABeat_isAnErrorEvent(String status) throws InterruptedException {
    String error =
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"full\"}}";
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 %s\r\nContent-Type: application/json\r\nConnection: close\r\n"
                    .formatted(status)
                + "Content-Length: %d\r\n\r\n%s".formatted(error.length(), error)));
    try (ByteSocket byteSocket = beating(MESSAGES)) {
      pause(false);
      assertThat(rest(byteSocket)).isEqualTo("event: error\ndata: " + error + "\n\n");
    }
    upstream.received();
  }

  @Test
  void upstreamThatDoesNotAnswerAfterABeat_isAnErrorEvent() throws InterruptedException {
    upstream.script((self, byteSocket) -> self.read(byteSocket));
    try (ByteSocket byteSocket = beating(CHAT)) {
      pause(false);
      assertThat(rest(byteSocket))
          .startsWith("data: ")
          .contains("\"code\":\"upstream_unreachable\"");
      byteSocket.post(CHAT, "{");
      assertThat(byteSocket.answer().status()).isEqualTo(400);
    }
    upstream.received();
  }

  @Test
  void upstreamThatBreaksOffItsStream_isSeenToHaveDoneSo() throws InterruptedException {
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD).chunk("data: {}\n\n");
        });
    try (ByteSocket byteSocket = beating(CHAT)) {
      pause(false);
      assertThatThrownBy(() -> rest(byteSocket)).isInstanceOf(UncheckedIOException.class);
    }
    upstream.received();
  }

  @Test
  void whoAsksForNoStream_orMayWaitLonger_hearsNothing() throws InterruptedException {
    try (ByteSocket beats = beating(CHAT);
        ByteSocket plain = parked(CHAT, ASK);
        ByteSocket slow = parked(SLOW, STREAM)) {
      assertThat(beats.chunk()).isEqualTo(BEAT);
      assertThat(beats.chunk()).isEqualTo(BEAT);
      pause(false);
      assertThat(plain.answer().header("x-penstock-upstream")).isEqualTo("o");
      assertThat(slow.answer().header("x-penstock-upstream")).isEqualTo("s");
      assertThat(rest(beats)).contains("\"error\""); // the upstream answers in JSON
    }
    upstream.received();
    upstream.received();
    upstream.received();
  }

  /** Returns the seconds of the next beat, which tells that place. */
  private static long expectedWait(ByteSocket byteSocket, int position) {
    String beat = byteSocket.chunk();
    String begin = ": position " + position + ", expected wait ";
    assertThat(beat).startsWith(begin).endsWith(" s\n\n");
    return Long.parseLong(beat.substring(begin.length(), beat.length() - " s\n\n".length()));
  }

  @Test
  void streamsInAQueue_hearTheirPlaceAndTheExpectedWait() throws InterruptedException {
    Ticker since = Ticker.system();
    assertThat(post(SPACED, ASK).status()).isEqualTo(200); // the next ones go every 30 seconds
    upstream.received();
    try (ByteSocket first = parked(SPACED, STREAM);
        ByteSocket second = parked(SPACED, STREAM)) {
      assertThat(first.head().status()).isEqualTo(200);
      assertThat(second.head().status()).isEqualTo(200);
      long firstWaits = expectedWait(first, 1);
      long secondWaits = expectedWait(second, 2);
      long passed = since.nanos() / 1_000_000_000;
      assertThat(firstWaits).isBetween(29 - passed, 30L);
      assertThat(secondWaits).isBetween(59 - passed, 60L);
      long cancelled = gateway.count(SPACED, TicketFate.CANCELLED);
      first.reset();
      gateway.await(SPACED, TicketFate.CANCELLED, cancelled + 1);
      String beat = second.chunk();
      while (beat.startsWith(": position 2,")) {
        beat = second.chunk();
      }
      assertThat(beat).startsWith(": position 1, expected wait ");
    }
  }

  @Test
  void streamThatWaitsForAnotherToEnd_hearsALowerBound() throws InterruptedException {
    CountDownLatch ends = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          PatientWaits.await(ends);
          byteSocket.send(OK);
        });
    try (ByteSocket running = connect().post(SINGLE, ASK)) {
      upstream.received();
      try (ByteSocket waiting = parked(SINGLE, STREAM)) {
        assertThat(waiting.head().status()).isEqualTo(200);
        assertThat(waiting.chunk()).matches(": position 1, expected wait at least \\d+ s\n\n");
        ends.countDown();
        assertThat(running.answer().status()).isEqualTo(200);
        assertThat(rest(waiting)).contains("\"error\""); // the upstream answers in JSON
      }
    }
    upstream.received();
  }

  @Test
  void whoNeedNotWait_hearsNothing() throws InterruptedException {
    HttpMessage answer = post(CHAT, STREAM);
    assertThat(answer.header("x-penstock-upstream")).isEqualTo("o");
    assertThat(answer.text()).isEqualTo("{}");
    upstream.received();
  }

  @Test
  void clientGoneBetweenBeats_losesItsPlaceAtOnce() {
    long cancelled = gateway.count(CHAT, TicketFate.CANCELLED);
    try (ByteSocket byteSocket = beating(CHAT)) {
      byteSocket.reset();
      gateway.await(CHAT, TicketFate.CANCELLED, cancelled + 1);
    }
    try (ByteSocket byteSocket = beating(CHAT)) {
      byteSocket.halfClose();
      gateway.await(CHAT, TicketFate.CANCELLED, cancelled + 2);
    }
    assertThat(gateway.count(CHAT, TicketFate.WAITING)).isZero();
  }

  @Test
  void clientGoneWithinTheAnswer_isSettledAndLeavesTheUpstream() throws InterruptedException {
    CountDownLatch left = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD).chunk("data: {}\n\n");
          byteSocket.awaitEnd();
          left.countDown();
        });
    long cancelled = gateway.count(CHAT, TicketFate.CANCELLED);
    try (ByteSocket byteSocket = beating(CHAT)) {
      pause(false);
      String chunk = byteSocket.chunk();
      while (chunk.equals(BEAT)) {
        chunk = byteSocket.chunk();
      }
      assertThat(chunk).isEqualTo("data: {}\n\n");
      byteSocket.reset();
      gateway.await(CHAT, TicketFate.CANCELLED, cancelled + 1);
    }
    PatientWaits.await(left);
    upstream.received();
  }
}
