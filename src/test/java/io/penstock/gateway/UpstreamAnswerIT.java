package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Tests which parts of requests and answers are passed through, and which are not. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class UpstreamAnswerIT extends HostileCase {
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n"
          + "Connection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n\r\n";

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams:
          - {id: o, url: "%1$s", api_key: "${SECRET}", rpm_limit: 100000, tpm_limit: 1000000,
             headers: {X-Team: blue}}
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: a, url: "%1$s/base", api_key: "${SECRET}"}]
      - path: /plain
        strip_prefix: false
        dialect: none
        upstreams: [{id: p, url: "%1$s"}]
    """;
  }

  /** Sends each piece only when the one before it was received. */
  private void streamsPieceByPiece(String contentType, String target) throws InterruptedException {
    Semaphore received = new Semaphore(0);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(STREAM_HEAD.formatted(contentType));
          for (int i = 0; i < 20; i++) {
            byteSocket.chunk("data: {\"i\":" + i + "}\n\n");
            PatientWaits.acquire(received);
          }
          byteSocket.chunk("data: [DONE]\n\n").send("0\r\n\r\n");
        });
    try (ByteSocket byteSocket = connect()) {
      byteSocket.post(target, ASK.replace("{\"model\"", "{\"stream\":true,\"model\""));
      HttpMessage head = byteSocket.head();
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.header("x-hop")).isNull();
      assertThat(head.header("keep-alive")).isNull();
      for (int i = 0; i < 20; i++) {
        assertThat(byteSocket.chunk()).isEqualTo("data: {\"i\":" + i + "}\n\n");
        received.release();
      }
      assertThat(byteSocket.chunk()).isEqualTo("data: [DONE]\n\n");
      assertThat(byteSocket.chunk()).isEmpty();
    }
    upstream.received();
  }

  @Test
  void stream_passesPieceByPiece() throws InterruptedException {
    streamsPieceByPiece("text/event-stream; charset=utf-8", CHAT);
    streamsPieceByPiece("text/event-stream", MESSAGES);
  }

  @Test
  void unweighedAnswerOfAnyType_passesPieceByPieceToo() throws InterruptedException {
    streamsPieceByPiece("text/event-stream", "/plain/x");
  }

  @Test
  void upload_passesPieceByPieceAndCountsNoTokens() throws InterruptedException {
    Semaphore received = new Semaphore(0);
    CountDownLatch done = new CountDownLatch(1);
    upstream.script(
        (self, byteSocket) -> {
          HttpMessage head = byteSocket.head();
          assertThat(head.header("transfer-encoding")).isEqualTo("chunked");
          for (String piece = byteSocket.chunk(); !piece.isEmpty(); piece = byteSocket.chunk()) {
            received.release();
          }
          byteSocket.send(OK);
          done.countDown();
        });
    long before = gateway.endpoint(CHAT).totals().tokens(TicketFate.SERVED);
    long requests = gateway.count(CHAT, TicketFate.SERVED);
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "POST " + FILES + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 10; i++) {
        byteSocket.chunk("piece " + i);
        PatientWaits.acquire(received);
      }
      HttpMessage answer = byteSocket.send("0\r\n\r\n").answer();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("x-penstock-cost")).isEqualTo("0");
    }
    PatientWaits.await(done);
    gateway.await(CHAT, TicketFate.SERVED, requests + 1);
    assertThat(gateway.endpoint(CHAT).totals().tokens(TicketFate.SERVED)).isEqualTo(before);
  }

  @Test
  void headersOfTheClient_reachTheUpstreamWithoutItsCredentials() throws InterruptedException {
    HttpMessage answer =
        ask(
            "POST "
                + CHAT
                + " HTTP/1.1\r\nHost: gateway.example\r\n"
                + ("Authorization: Bearer %1$s\r\nx-api-key: %1$s\r\napi-key: %1$s\r\n"
                        + "x-goog-api-key: %1$s\r\nx-penstock-key: %1$s\r\n"
                        + "Proxy-Authorization: Basic %1$s\r\n")
                    .formatted(CLIENT_SECRET)
                + "x-penstock-priority: 3\r\nx-penstock-timeout: 10\r\nx-penstock-tokens: 5\r\n"
                + "x-penstock-sent-at: 1\r\nX-Priority: theirs\r\n"
                + "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\n"
                + "X-Forwarded-For: 203.0.113.9\r\nAccept-Encoding: gzip\r\n"
                + "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
                + "OpenAI-Beta: x=1\r\nOpenAI-Beta: y=2\r\nx-request-id: mine-7\r\n"
                + "Content-Type: application/json\r\nContent-Length: "
                + ASK.length()
                + "\r\n\r\n"
                + ASK);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.all("x-request-id")).containsExactly("mine-7");
    HttpMessage asked = upstream.received();
    assertThat(asked.headers().toString()).doesNotContain(CLIENT_SECRET);
    assertThat(asked.all("authorization")).containsExactly("Bearer " + UPSTREAM_SECRET);
    for (String header :
        new String[] {
          "x-penstock-priority",
          "x-penstock-timeout",
          "x-penstock-tokens",
          "x-penstock-sent-at",
          "x-hop",
          "te"
        }) {
      assertThat(asked.header(header)).as(header).isNull();
    }
    assertThat(asked.all("x-priority")).containsExactly("theirs");
    assertThat(asked.all("x-request-id")).containsExactly("mine-7");
    assertThat(asked.header("traceparent")).startsWith("00-0af7651916cd43dd8448eb211c80319c-");
    assertThat(asked.all("openai-beta").toString()).contains("x=1").contains("y=2");
    assertThat(asked.header("x-team")).isEqualTo("blue");
    assertThat(asked.header("accept-encoding")).isEqualTo("identity");
    assertThat(asked.header("host")).isEqualTo("127.0.0.1:" + upstream.port());
    assertThat(asked.headers().toString()).doesNotContainIgnoringCase("x-forwarded");
    assertThat(asked.text()).isEqualTo(ASK);
  }

  @Test
  void headersOfTheUpstream_reachTheClientWithoutItsLimits() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "x-ratelimit-remaining-tokens: 5\r\nanthropic-ratelimit-requests-limit: 5\r\n"
                + "RateLimit: x\r\nRateLimit-Policy: y\r\nx-request-id: theirs\r\n"
                + "openai-processing-ms: 9\r\nX-Many: a=1\r\nX-Many: b=2\r\n"
                + "Content-Length: 2\r\n\r\n{}"));
    HttpMessage answer = post(MESSAGES, ASK);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.headers().toString().toLowerCase(java.util.Locale.ROOT))
        .doesNotContain("ratelimit")
        .doesNotContain("theirs")
        .doesNotContain(UPSTREAM_SECRET);
    assertThat(answer.header("openai-processing-ms")).isEqualTo("9");
    assertThat(answer.all("x-many")).containsExactly("a=1", "b=2");
    assertThat(answer.header("x-request-id")).isNotBlank();
    assertThat(answer.header("x-penstock-endpoint")).isEqualTo("/anthropic");
    assertThat(answer.header("x-penstock-upstream")).isEqualTo("a");
    assertThat(answer.header("x-penstock-queued-ms")).matches("[0-9]+");
    assertThat(Long.parseLong(answer.header("x-penstock-cost"))).isGreaterThan(5);
    HttpMessage asked = upstream.received();
    assertThat(asked.header("x-api-key")).isEqualTo(UPSTREAM_SECRET);
    assertThat(asked.header("authorization")).isNull();
    assertThat(asked.target()).isEqualTo("/base/v1/messages");
  }

  @Test
  void query_reachesTheUpstreamByteForByteButForOurs() throws InterruptedException {
    String rest = "b=%7e~&&a=x%20y+z&empty=&flag&%E4%BD%A0=%c3%a9&tokens=7&a=2&u=http://x/?y=*";
    post(CHAT + "?" + rest + "&timeout=9&key=" + CLIENT_SECRET + "&%6bey=1", ASK);
    assertThat(upstream.received().target())
        .isEqualTo("/v1/chat/completions?" + rest + "&timeout=9");
    post(CHAT + "?key=" + CLIENT_SECRET, ASK);
    assertThat(upstream.received().target()).isEqualTo("/v1/chat/completions");
    post("/plain/x?tokens=5&" + "b=1&&timeout=9&" + "key=" + CLIENT_SECRET, "");
    assertThat(upstream.received().target()).isEqualTo("/plain/x?b=1&&timeout=9");
  }

  @Test
  void path_reachesTheUpstreamByteForByte() throws InterruptedException {
    String path = "/v1/a%20b/%E4%BD%A0/c%2Fd;p=1/@x:y/$&'()*+,=!~/";
    ask("GET /openai" + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(upstream.received().target()).isEqualTo(path);
    ask("GET /plain" + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(upstream.received().target()).isEqualTo("/plain" + path);
    ask("GET /openai HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(upstream.received().target()).isEqualTo("/");
  }

  @Test
  void answerWithoutABody_passes() throws InterruptedException {
    upstream.script(
        RawUpstream.answering("HTTP/1.1 204 No Content\r\nX-A: 1\r\nConnection: close\r\n\r\n"));
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("DELETE /openai/v1/files/f-1 HTTP/1.1\r\nHost: x\r\n\r\n");
      HttpMessage answer = byteSocket.head();
      assertThat(answer.status()).isEqualTo(204);
      assertThat(answer.header("x-a")).isEqualTo("1");
      assertThat(answer.header("x-penstock-upstream")).isEqualTo("o");
    }
    assertThat(upstream.received().start()).startsWith("DELETE /v1/files/f-1 ");
  }

  @Test
  void redirect_isTheClientsToFollow() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://evil.example/\r\n"
                + "Connection: close\r\nContent-Length: 0\r\n\r\n"));
    HttpMessage answer = post(CHAT, ASK);
    assertThat(answer.status()).isEqualTo(307);
    assertThat(answer.header("location")).isEqualTo("http://evil.example/");
    upstream.received();
  }

  @Test
  void compressedAnswerToAnUnweighedRequest_passesUntouched() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n"
                + "Content-Length: 4\r\n\r\n\u0001abc"));
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "GET /openai/v1/files/x HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
      HttpMessage answer = byteSocket.answer();
      assertThat(answer.header("content-encoding")).isEqualTo("gzip");
      assertThat(answer.text()).isEqualTo("\u0001abc");
    }
    assertThat(upstream.received().header("accept-encoding")).isEqualTo("gzip");
  }

  @Test
  void manyRequestsOnOneConnection_areAnsweredInTurn() throws InterruptedException {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(ByteSocket.request("POST", CHAT, ASK).repeat(20));
      for (int i = 0; i < 20; i++) {
        assertThat(byteSocket.answer().status()).isEqualTo(200);
        upstream.received();
      }
    }
  }
}
