package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RunningGateway;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.time.Ticker;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * Tests that a connection which the upstream closed while it was idle is no failure: the request is
 * sent once more, over a new connection.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class ClosedConnectionIT extends HostileCase {
  private static final String KEPT = OK.replace("Connection: close\r\n", "");
  private static final String STREAM =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 14\r\n\r\n"
          + "data: [DONE]\n\n";
  private static final int MANY = 6;
  private static final long IDLE = 1_000_000_000L;

  /** How a connection ends when a second request comes over it. */
  enum Ending {
    CLOSE,
    RESET,
    CLOSE_UNREAD,
    HALF_A_LINE
  }

  private final Set<Object> secured = ConcurrentHashMap.newKeySet();
  private final DisposableServer secure = secure();

  @Override
  String routes() {
    return """
    defaults: {max_wait: 20}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: openai, url: "%1$s", api_key: "${SECRET}", rpm: 100000}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: anthropic, url: "%1$s", api_key: "${SECRET}"}]
      - path: /gemini
        dialect: gemini
        upstreams: [{id: gemini, url: "%1$s", api_key: "${SECRET}"}]
      - {path: /none, dialect: none, upstreams: [{id: none, url: "%1$s"}]}
      - path: /shadow
        dialect: openai
        shadow: true
        upstreams: [{id: shadow, url: "%1$s"}]
      - {path: /closed, dialect: openai, upstreams: [{id: closed, url: "%1$s"}]}
      - {path: /begun, dialect: openai, upstreams: [{id: begun, url: "%1$s"}]}
      - {path: /broken, dialect: openai, upstreams: [{id: broken, url: "%1$s"}]}
      - path: /secure
        dialect: openai
        upstreams: [{id: secure, url: "https://127.0.0.1:TLS", tls: {ca: "CA"}}]
    """
        .replace("TLS", "" + secure.port())
        .replace("CA", file("ca.pem").toString());
  }

  @AfterAll
  void stopSecure() {
    secure.disposeNow();
  }

  private static File file(String name) {
    return Path.of("src/test/resources/tls/redis", name).toAbsolutePath().toFile();
  }

  /** Starts a server that closes a connection when a second request comes over it. */
  private DisposableServer secure() {
    try {
      SslContext context =
          SslContextBuilder.forServer(file("server.pem"), file("server-key.pem")).build();
      return HttpServer.create()
          .host("127.0.0.1")
          .port(0)
          .secure(secure -> secure.sslContext(context))
          .handle(
              (request, response) -> {
                if (!secured.add(request.remoteAddress())) {
                  request.withConnection(Connection::dispose);
                  return Mono.never();
                }
                return response.sendString(Mono.just("{}"));
              })
          .bindNow();
    } catch (javax.net.ssl.SSLException unreadable) {
      throw new IllegalStateException(unreadable);
    }
  }

  private long now() {
    return gateway.bean(Ticker.class).nanos();
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
  }

  private void healthy(String id) {
    assertThat(upstreamOf(id).health().onTrial()).as("on trial").isFalse();
    assertThat(upstreamOf(id).trouble()).isNull();
  }

  /** Serves one request of each connection, and ends it when another one comes. */
  private void serveOnce(String answer, Ending ending, int served) {
    AtomicInteger together = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(served);
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          if (together.incrementAndGet() <= served) {
            all.countDown();
            all.await();
          }
          byteSocket.send(answer);
          if (!byteSocket.awaitByte()) {
            return;
          }
          if (ending == Ending.CLOSE_UNREAD) {
            return;
          }
          byteSocket.request();
          if (ending == Ending.RESET) {
            byteSocket.reset();
          } else if (ending == Ending.HALF_A_LINE) {
            byteSocket.send("HTTP/1.1 2");
          }
        });
  }

  /** Makes as many connections as there are requests at once, and waits until all are idle. */
  private void idleConnections(String target, String ask, int many) {
    useConnections(target, ask, many);
    awaitIdle();
  }

  private void useConnections(String target, String ask, int many) {
    List<ByteSocket> wires = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      wires.add(connect().post(target, ask));
    }
    for (ByteSocket wire : wires) {
      assertThat(wire.answer().status()).isEqualTo(200);
      wire.close();
    }
  }

  private void awaitIdle() {
    long from = now();
    RunningGateway.awaiting().until(() -> now() - from > IDLE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"CLOSE", "RESET", "CLOSE_UNREAD"})
  void allIdleConnectionsWereClosed_everyRequestIsServed_andNothingIsHeldAgainstTheUpstream(
      Ending ending) {
    serveOnce(KEPT, ending, MANY);
    idleConnections(CHAT, ASK, MANY);
    long served = gateway.count("/openai", TicketFate.SERVED);
    int before = upstream.connections();
    for (int i = 0; i < MANY; i++) {
      assertThat(post(CHAT, ASK).status()).isEqualTo(200);
    }
    assertThat(upstream.connections()).as("a new one for each").isEqualTo(before + MANY);
    gateway.await("/openai", TicketFate.SERVED, served + MANY);
    healthy("openai");
    upstream.drain();
  }

  @Test
  void allConnectionsWereClosedAfterAMoment_requestIsServedByItsRetry_overANewConnection() {
    serveOnce(KEPT, Ending.CLOSE, MANY);
    useConnections("/closed/v1/chat/completions", ASK, MANY);
    assertThat(post("/closed/v1/chat/completions", ASK).status()).isEqualTo(200);
    upstream.drain();
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic, /anthropic/v1/messages",
    "gemini, /gemini/v1beta/models/m:generateContent",
    "shadow, /shadow/v1/chat/completions",
  })
  void otherDialectsAndShadowMode_areServedToo(String id, String target) {
    serveOnce(KEPT, Ending.CLOSE, 1);
    idleConnections(target, ASK, 1);
    assertThat(post(target, ASK).status()).isEqualTo(200);
    healthy(id);
    upstream.drain();
  }

  @Test
  void stream_isServedToo() {
    serveOnce(STREAM, Ending.CLOSE, 1);
    String ask = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");
    idleConnections(CHAT, ask, 1);
    assertThat(post(CHAT, ask).text()).isEqualTo("data: [DONE]\n\n");
    healthy("openai");
    upstream.drain();
  }

  @Test
  void requestWithoutABody_isServedToo() {
    serveOnce(KEPT, Ending.RESET, 1);
    String get = "GET " + FILES + " HTTP/1.1\r\nHost: a\r\n\r\n";
    assertThat(ask(get).status()).isEqualTo(200);
    awaitIdle();
    assertThat(ask(get).status()).isEqualTo(200);
    healthy("openai");
    upstream.drain();
  }

  @Test
  void largeRequest_isServedToo() {
    serveOnce(KEPT, Ending.CLOSE_UNREAD, 1);
    idleConnections(CHAT, ASK, 1);
    String large = ASK.replace(PROMPT, "word ".repeat(800_000));
    upstream.drain();
    assertThat(post(CHAT, large).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(large);
    healthy("openai");
  }

  @Test
  void connectionOverTls_isServedToo() {
    String target = "/secure/v1/chat/completions";
    idleConnections(target, ASK, 1);
    HttpMessage answer = post(target, ASK);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    healthy("secure");
  }

  @ParameterizedTest
  @CsvSource({"openai, /openai/v1/files", "none, /none/anything"})
  void upload_cannotBeSentAgain_andIsNotHeldAgainstTheUpstream(String id, String target) {
    serveOnce(KEPT, Ending.CLOSE, 1);
    idleConnections(target, "file", 1);
    HttpMessage answer = post(target, "file");
    refused(answer, 502, "upstream_unreachable");
    assertThat(answer.text()).contains("the upstream had closed the connection");
    healthy(id);
    upstream.drain();
  }

  @Test
  void answerThatBegan_isAFailure() {
    serveOnce(KEPT, Ending.HALF_A_LINE, 1);
    idleConnections("/begun/v1/chat/completions", ASK, 1);
    assertThat(post("/begun/v1/chat/completions", ASK).status())
        .isEqualTo(200); // the second attempt
    assertThat(upstreamOf("begun").trouble()).isNotNull();
    upstream.drain();
  }

  @Test
  void newConnectionThatBreaksToo_isAFailure_afterOneMoreAttempt() {
    AtomicInteger asked = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          if (asked.incrementAndGet() == 1) {
            byteSocket.send(KEPT);
            byteSocket.request();
          }
        });
    idleConnections("/broken/v1/chat/completions", ASK, 1);
    refused(post("/broken/v1/chat/completions", ASK), 502, "upstream_unreachable");
    assertThat(asked.get()).as("over the idle one, the new one, and at the retry").isEqualTo(3);
    assertThat(upstreamOf("broken").trouble()).isNotNull();
    upstream.drain();
  }
}
