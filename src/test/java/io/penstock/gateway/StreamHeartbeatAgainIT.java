package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that a streaming request that has to wait once more gets heartbeats meanwhile. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class StreamHeartbeatAgainIT extends HostileCase {
  private static final String STREAM_ASK = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");
  private static final String LIMITED =
      "HTTP/1.1 429 X\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  private static final String STREAM =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 10\r\n\r\n"
          + "data: {}\n\n";

  private final AtomicInteger asked = new AtomicInteger();

  @Override
  String routes() {
    return """
    defaults: {dialect: openai, heartbeat_seconds: 0.05}
    endpoints:
      - path: /late
        upstreams: [{id: late, url: "%1$s", inject_usage: false}]
      - path: /hasty
        max_wait: 2
        upstreams: [{id: hasty, url: "%1$s"}]
      - path: /slow
        algorithm: strict
        rate: 0.5
        upstreams: [{id: slow, url: "%1$s"}]
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {PlainJudge.ARGUMENT};
  }

  @AfterEach
  void reset() {
    PlainJudge.pauseNanos = 0;
  }

  /** Answers 429 that many times, then with {@code then}. */
  private void limited(int times, String then) {
    PlainJudge.pauseNanos = 2_000_000_000;
    asked.set(0);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(asked.incrementAndGet() <= times ? LIMITED : then);
        });
  }

  private String streamed(ByteSocket byteSocket) {
    StringBuilder all = new StringBuilder();
    for (String chunk = byteSocket.chunk(); !chunk.isEmpty(); chunk = byteSocket.chunk()) {
      all.append(chunk);
    }
    return all.toString();
  }

  @Test
  void firstWaitIsAfterTheAttempt_beatsAndThenStreams() throws InterruptedException {
    limited(2, STREAM);
    try (ByteSocket byteSocket = connect().post("/late/v1/chat/completions", STREAM_ASK)) {
      HttpMessage head = byteSocket.head();
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.header("content-type")).startsWith("text/event-stream");
      assertThat(streamed(byteSocket)).matches("(:[^\\n]*\\n\\n){3,}data: \\{}\\n\\n");
    }
    for (int i = 0; i < 3; i++) {
      assertThat(upstream.received().text()).isEqualTo(STREAM_ASK);
    }
  }

  @Test
  void errorAfterBeats_isAnEvent() throws InterruptedException {
    limited(
        1,
        "HTTP/1.1 400 X\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n"
            + "{\"error\":{\"e\":1}}");
    try (ByteSocket byteSocket = connect().post("/late/v1/chat/completions", STREAM_ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(streamed(byteSocket))
          .matches("(:[^\\n]*\\n\\n)+data: \\{\"error\":\\{\"e\":1}}\\n\\n(data: .*\\n\\n)?");
    }
    upstream.received();
    upstream.received();
  }

  @Test
  void failureAfterBeats_isAnEvent() throws InterruptedException {
    limited(1, "");
    try (ByteSocket byteSocket = connect().post("/late/v1/chat/completions", STREAM_ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(streamed(byteSocket)).contains("upstream_unreachable");
    }
    upstream.received();
    upstream.received();
    upstream.drain();
  }

  @Test
  void deadlineAfterBeats_isAnEvent() throws InterruptedException {
    limited(9, STREAM);
    PlainJudge.pauseNanos = 60_000_000_000L;
    try (ByteSocket byteSocket = connect().post("/hasty/v1/chat/completions", STREAM_ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(streamed(byteSocket)).contains("queue_timeout");
    }
    upstream.received();
  }

  @Test
  void waitBeforeAndAfter_beatsInBoth() throws InterruptedException {
    assertThat(post("/slow/v1/chat/completions", STREAM_ASK).status()).isEqualTo(200);
    upstream.received();
    limited(1, STREAM);
    try (ByteSocket byteSocket = connect().post("/slow/v1/chat/completions", STREAM_ASK)) {
      assertThat(byteSocket.head().status()).isEqualTo(200);
      assertThat(streamed(byteSocket)).matches("(:[^\\n]*\\n\\n){5,}data: \\{}\\n\\n");
    }
    upstream.received();
    upstream.received();
  }
}
